"""`edumod elmes export json` and `export label-studio`."""

from __future__ import annotations

import typer

from app.cli.elmes.options import CONFIG, ConfigPath, Debug, InputPath, OutputPath, scenario_at
from app.cli.elmes.runs import dialogues_in, judge_of
from app.cli.output import AsJson, print_done, with_services
from eval.scenarios.exchange.exports import write_dialogues
from eval.scenarios.exchange.label_studio import write_label_studio

commands = typer.Typer(help="Write the dialogues of the last run to files.", no_args_is_help=True)


@commands.command(name="json")
def json_(
    config: ConfigPath = CONFIG,
    folder: InputPath = None,
    output: OutputPath = None,
    debug: Debug = False,
    as_json: AsJson = False,
) -> None:
    """A JSON file per dialogue, in the scenario's folder."""
    scenario = scenario_at(config, output)
    rows = with_services(lambda services: dialogues_in(services, scenario, folder))
    written = write_dialogues(scenario, rows)
    print_done(f"{len(written)} dialogues in {scenario.output}", as_json, written=[str(path) for path in written])


@commands.command(name="label-studio")
def label_studio(
    config: ConfigPath = CONFIG,
    folder: InputPath = None,
    output: OutputPath = None,
    debug: Debug = False,
    as_json: AsJson = False,
) -> None:
    """Tasks and a labelling template for Label Studio, with the fields of the file's judge."""
    scenario = scenario_at(config, output)
    evaluation = judge_of(scenario)
    rows = with_services(lambda services: dialogues_in(services, scenario, folder))
    written = [str(path) for path in write_label_studio(scenario, evaluation, rows)]
    print_done("\n".join(written), as_json, written=written)
