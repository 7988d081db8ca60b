"""How far two numbers may differ and still be one, each relative to the larger, unless it says otherwise."""

from __future__ import annotations

EXACT = 1e-9
"""What floating-point arithmetic leaves."""
CARRIED = 0.002
"""A student may go on with more digits than she writes; terms are compared at points so."""
SOLVED = 0.006
"""Both sides of an equation, at a solution that was rounded."""
MEASURED = 0.01
"""An answer given as a decimal, by other values of constants or by rounding."""
ROUNDED = 0.02
"""A number of few digits that is right by its last digit; of the ends of an interval, a share of its width."""
ABOUT = 0.05
"""What "≈" may differ by, where the digits written do not say."""
FEW_DIGITS = 0.1
"""A decimal that is right by its last digit may still be that far off: 0.03 for 0.028."""
LAST_DIGIT = 1.01
"""In half units of the last digit: rounded. Twice that: cut off, or rounded twice."""
