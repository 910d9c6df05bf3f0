# The headers that users are meant to include, by folder in the order of Layers.cmake. What these include is installed
# too, and nothing else is: pmtr_public_headers() follows the #include lines. To offer another one, name it here.
set(PMTR_PUBLIC_HEADERS
  core/file.h core/progress.h core/random.h core/rigid3.h core/threads.h
  mesh/decimate.h mesh/io/mesh_file.h
  weights/safetensors.h weights/torch_file.h
  sample/object_scale.h sample/sample_surface.h
  fracture/fracture_mesh.h fracture/shapes/shapes.h fracture/write_object.h
  dataset/layout.h dataset/pair_sampler.h dataset/split_file.h
  match/match_pair.h
  pose/local_to_global.h pose/pose_search.h
  averaging/pose_graph_file.h averaging/robust_averaging.h averaging/translations.h
  assemble/assemble_surfaces.h assemble/constraints.h
  evaluate/evaluation_tables.h evaluate/metrics.h evaluate/scattered_object.h
  render/png.h render/render.h
  report/page/report_html.h report/record/result_files.h
  network/fragment_encoder.h
  train/checkpoint.h train/config.h train/prepare_sample.h train/trainer.h
  pipeline/assemble_fragments.h)

# pmtr_public_headers(out source stages): the listed headers of the given stages under `source` and all that they
# include, relative to it, sorted.
function(pmtr_public_headers out source stages)
  set(found)
  set(waiting)
  foreach(header IN LISTS PMTR_PUBLIC_HEADERS)
    string(REGEX REPLACE "/.*" "" stage "${header}")
    if(stage IN_LIST stages)
      list(APPEND waiting "${header}")
    endif()
  endforeach()
  while(waiting)
    list(POP_FRONT waiting header)
    if(header IN_LIST found)
      continue()
    endif()
    if(NOT EXISTS "${source}/${header}")
      message(FATAL_ERROR "cmake/PublicHeaders.cmake leads to ${header}, which does not exist")
    endif()
    list(APPEND found "${header}")
    file(STRINGS "${source}/${header}" lines REGEX "^#include \"pmtr/")
    list(TRANSFORM lines REPLACE "^#include \"pmtr/([^\"]+)\".*" "\\1")
    list(APPEND waiting ${lines})
  endwhile()
  list(SORT found)
  set(${out} ${found} PARENT_SCOPE)
endfunction()
