"""The database: SQLModel tables, migrations, and one small class per topic. No SQL anywhere else."""
