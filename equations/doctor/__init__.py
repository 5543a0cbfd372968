"""The checks of the statement doctor, one file for each kind of slip."""
