# The headers that users are meant to include, by folder in the order of Layers.cmake. What these include is installed
# too, and nothing else is: pmtr_public_headers() follows the #include lines. To offer another one, name it here.
set(PMTR_PUBLIC_HEADERS
  core/check_handler.h core/file.h core/listener.h core/random.h core/rigid3.h core/threads.h
  mesh/decimate.h mesh/io/mesh_file.h
  render/png.h render/render.h
  weights/safetensors.h weights/torch_file.h
  sample/fragment_clouds.h sample/object_scale.h
  fracture/fracture_batch.h fracture/fracture_mesh.h fracture/shapes/shapes.h
  dataset/layout.h dataset/pair_sampler.h dataset/split_file.h
  averaging/pose_graph_file.h averaging/robust_averaging.h averaging/translations.h
  match/match_pair.h
  pose/local_to_global.h pose/search_pairs.h
  assemble/apply_decisions.h assemble/rematch_groups.h
  evaluate/evaluate_objects.h evaluate/evaluation_tables.h evaluate/metrics.h
  report/page/report_html.h report/record/solve_again.h
  network/fragment_encoder.h
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
