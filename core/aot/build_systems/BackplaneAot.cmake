# backplane_aot(TARGET MODEL [NAME name] [OPTIONS ...]) makes a library target of a model that `backplane aot` compiles.
# It contains TARGET.h, which programs that link to the target include, and whose functions begin with NAME (TARGET).
#
#   find_package(Backplane REQUIRED COMPONENTS aot)
#   backplane_aot(digits models/digits.hlo OPTIONS --features=x86-64-v3)
#   target_link_libraries(application PRIVATE digits)
find_program(BACKPLANE_COMMAND backplane REQUIRED)

function(backplane_aot target model)
  cmake_parse_arguments(PARSE_ARGV 2 AOT "" "NAME" "OPTIONS")
  if(NOT AOT_NAME)
    set(AOT_NAME ${target})
  endif()
  get_filename_component(model_file ${model} ABSOLUTE)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_aot)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${folder}/${target}.o ${folder}/${target}.h
    COMMAND ${BACKPLANE_COMMAND} aot ${model_file} -o ${folder}/${target}.o --header ${folder}/${target}.h
            --name ${AOT_NAME} ${AOT_OPTIONS}
    DEPENDS ${model_file}
    VERBATIM)
  add_custom_target(${target}_files DEPENDS ${folder}/${target}.o ${folder}/${target}.h)
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_files)
  target_include_directories(${target} INTERFACE ${folder})
  target_link_libraries(${target} INTERFACE ${folder}/${target}.o)
endfunction()
