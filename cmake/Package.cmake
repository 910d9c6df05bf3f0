# find_package(pmtr): filled in with the installed targets.
