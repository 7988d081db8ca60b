"""Which connections are closed at the limit."""

from __future__ import annotations

from dataclasses import dataclass

from app.edge.crowding import Idleness, connections_to_close


@dataclass(frozen=True)
class Connection:
    holder: str
    since: float | None = 0.0
    is_slow: bool = False

    @property
    def idleness(self) -> Idleness | None:
        return None if self.since is None else Idleness(self.is_slow, self.since)


def test_the_client_with_most_connections_loses_those_that_have_been_idle_longest() -> None:
    greedy = [Connection("greedy", 5 - n) for n in range(5)]
    others = [Connection("honest", -9), *greedy]
    assert connections_to_close(Connection("new"), others, 2) == [greedy[4], greedy[3]]


def test_idle_connections_go_before_slow_ones() -> None:
    slow, idle = Connection("greedy", 1, is_slow=True), Connection("greedy", 2)
    assert connections_to_close(Connection("new"), [slow, idle], 1) == [idle]


def test_where_the_greediest_client_uses_all_of_its_connections_the_next_one_gives_way() -> None:
    busy, idle = [Connection("busy", None)] * 3, Connection("idle")
    assert connections_to_close(Connection("new"), [*busy, idle], 1) == [idle]


def test_a_client_with_fewer_connections_than_the_newcomer_loses_none() -> None:
    greedy = [Connection("greedy", None)] * 3
    assert connections_to_close(Connection("greedy"), [*greedy, Connection("honest")], 1) == []


def test_behind_a_proxy_an_idle_connection_of_its_own_gives_way() -> None:
    proxy = [Connection("proxy", None), Connection("proxy", 1), Connection("proxy", 0)]
    assert connections_to_close(Connection("proxy"), proxy, 1) == [proxy[2]]
