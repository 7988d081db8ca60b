"""Costs as people read them."""

from __future__ import annotations


def cost(usd: float | None) -> str:
    """`free`, `$0.0123`, or `unknown`."""
    if usd is None:
        return "unknown (set EDUMOD_LLM_PRICES)"
    return "free" if usd == 0 else f"${usd:.4f}"
