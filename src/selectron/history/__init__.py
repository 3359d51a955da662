"""LeadingHistory: ensembles of experts, with priors from all rows, that follow drift."""
