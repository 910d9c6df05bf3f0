# The stages of src/pmtr in one order: a folder includes only itself and folders before it. The test `layers` reads
# this list, and so do the two link layers: pmtr_geometry knows nothing of torch (loading it costs 0.6 s and 170 MB);
# pmtr_network stands on it.
set(PMTR_GEOMETRY_STAGES core formats mesh render weights kernels sample pyramid scan breaks fracture dataset averaging match pose
  assemble evaluate report project)
set(PMTR_NETWORK_STAGES network train pipeline systems)
# Compiled by pmtr_compile_briefly (QuickBuild.cmake), as the network's stages and the programs are.
set(PMTR_BRIEF_STAGES formats mesh/io weights dataset evaluate report project)
