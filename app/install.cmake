# What `cmake --install` puts in place, and the Debian package that `cpack -G DEB` makes of it.
#
# The program finds its demo model and presets beside itself, in ../share/quire, so any prefix
# will do. Manual and completions are what the program itself prints.

set(MADE ${CMAKE_CURRENT_BINARY_DIR}/share)
file(MAKE_DIRECTORY ${MADE})
add_custom_command(OUTPUT ${MADE}/quire.1.gz ${MADE}/quire.bash ${MADE}/_quire ${MADE}/quire.fish
  COMMAND quire --man | gzip -9n > ${MADE}/quire.1.gz
  COMMAND quire --completion bash > ${MADE}/quire.bash
  COMMAND quire --completion zsh > ${MADE}/_quire
  COMMAND quire --completion fish > ${MADE}/quire.fish
  DEPENDS quire
  COMMENT "Manual page and completions"
  VERBATIM)
add_custom_target(manual ALL DEPENDS ${MADE}/quire.1.gz)

include(GNUInstallDirs)
install(TARGETS quire)
install(FILES ${MADE}/quire.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${MADE}/quire.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME quire)
install(FILES ${MADE}/quire.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${PROJECT_SOURCE_DIR}/engine/demo/quire-demo-30m-q8_0.gguf
  DESTINATION ${CMAKE_INSTALL_DATADIR}/quire)
if(EXISTS ${PROJECT_SOURCE_DIR}/prompts/presets)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/prompts/presets
    DESTINATION ${CMAKE_INSTALL_DATADIR}/quire FILES_MATCHING PATTERN *.txt)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/engine/demo/CARD.md
  ${PROJECT_SOURCE_DIR}/engine/demo/DATA-CREDITS.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
# Debian's zsh has a folder of its own for what packages bring; elsewhere there is one for all.
install(CODE "
  set(folder site-functions)
  if(CMAKE_INSTALL_PREFIX MATCHES \"/usr/?$\" AND EXISTS /etc/debian_version)
    set(folder vendor-completions)
  endif()
  file(INSTALL DESTINATION \${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${folder}
    TYPE FILE FILES ${MADE}/_quire)")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME quire)
set(CPACK_PACKAGE_CONTACT "The quire authors <quire@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION text)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # as dpkg-shlibdeps of dpkg-dev finds them, and file
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates) # for models elsewhere and quire pull
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "chat with language models in the terminal, run on this machine")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Conversations are saved at every turn, forked without copying
and resumed without computing them again. A small demo model is included;
others are files in the GGUF format.")
include(CPack)
