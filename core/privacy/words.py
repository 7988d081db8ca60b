"""Parts of names that mean something else, too."""

from __future__ import annotations

MIN_PART_CHARS = 2
"""Of a part of a name that is looked for alone; initials stand in whole names only."""
_PARTICLES_TEXT = """
al and bin da de del della den der di do dos du el ibn jr la le los of sr st van von y zu
"""
PARTICLES = frozenset(_PARTICLES_TEXT.split())
_WORDS_TEXT = """
able an art august autumn baker bank banks bell bill black brown bush case cash chance charity chase chen chip
christian clay cliff cole cook cooper crystal daisy dale dawn day dean dee do drew early earnest east eve faith
field fields flora ford forest frank gene gentry grace grant gray green grey guy hall harmony he heaven her hill
him honor hope hunter i in iris is it ivy jade jay jean jewel joy june junior justice king lake lane lee lily
long love ma major mark marks mason mat max may mercy miles mill miller min my ned no norm north olive own page
park pat patience pearl penny pepper pierce pin piper poe pope prince quest rain ray read reed rich rob robin
rose ruby rusty sage sandy see seven she skip sky smart so song south star sterling stone storm strong sue
summer sun swift taylor temple the to tony trip tuesday violet wade wall ward we weaver wells west white wild
will win wood woods yes you young
"""
WORDS = frozenset(_WORDS_TEXT.split())
"""Words that are also parts of names: alone they are names only where the text says so."""
_EPONYMS_TEXT = """
bayes bernoulli boltzmann cauchy euler fisher fourier gauss hamming huffman jensen kruskal laplace lipschitz
markov monte nash newton neyman pascal pearson poisson python riemann shannon simpson spearman student taylor
tukey turing venn weibull wilcoxon
"""
EPONYMS = frozenset(_EPONYMS_TEXT.split())
"""Parts of names that terms have: alone they are terms."""
