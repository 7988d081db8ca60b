"""How well every part works, with numbers (design, section 8). Import from its modules; never `import eval`."""
