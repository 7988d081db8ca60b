"""Texts of sections."""

from __future__ import annotations

SUPPLY = """Supply and demand

A market is any arrangement that brings buyers and sellers together. In a competitive market there are many buyers
and many sellers, so that no single one of them can set the price. Demand is the quantity of a good that buyers are
willing to purchase at each price. The law of demand states that the quantity demanded falls when the price rises,
other things being equal.

Five factors shift the demand curve: income, the prices of related goods, tastes, expectations, and the number of
buyers. A normal good is a good whose demand rises with income. An inferior good, by contrast, is bought less as
people grow richer. Instant noodles are an example of an inferior good. Two goods are substitutes if a rise in the
price of one raises the demand for the other, whereas they are complements if it lowers that demand.

Supply is the quantity that sellers are willing to offer at each price. Supply curves slope upward because higher
prices make it worthwhile to produce more. A shift of the supply curve may be caused by a change in input prices,
technology, or the number of firms. In 1973 the price of oil rose by about 300 percent after an embargo by OPEC. As
a result, American drivers bought smaller cars.

Equilibrium is the point at which the quantity demanded equals the quantity supplied. If the price lies above
equilibrium there is a surplus; if it lies below, there is a shortage. A price ceiling is a legal maximum on the
price at which a good may be sold. Rent control leads to a shortage of housing. Elasticity measures how strongly
buyers respond to a change in price. It was introduced by Alfred Marshall in 1890.

The price elasticity of demand is calculated as the percentage change in quantity divided by the percentage change
in price. Demand is called elastic if the elasticity is greater than 1. Necessities such as insulin tend to have
inelastic demand, while luxuries such as yachts tend to have elastic demand. Taxes on cigarettes raise revenue
because demand for cigarettes is inelastic."""
