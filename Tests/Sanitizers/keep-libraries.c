// Keeps libraries in the process for LeakSanitizer's eyes. The program unloads the libraries for movies after
// each recording. What a library's variables refer to looks leaked after that, and its stack has no name that
// a suppression could match. Tests/sanitize preloads this.
int dlclose(void *library) {
    (void)library;
    return 0;
}
