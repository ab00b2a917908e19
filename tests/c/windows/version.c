/* Prints the version information of a DLL, as Explorer shows it: version DLL. A line each: name, tab, text. */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

int main(int count, char **arguments)
{
    static const char *const names[] = {
        "FileDescription", "FileVersion", "InternalName", "LegalCopyright", "OriginalFilename", "ProductName", "ProductVersion"
    };
    DWORD size = count == 2 ? GetFileVersionInfoSizeA(arguments[1], NULL) : 0;
    void *data = malloc(size);
    VS_FIXEDFILEINFO *fixed = NULL;
    UINT length = 0;
    size_t i;
    if (size == 0 || data == NULL || !GetFileVersionInfoA(arguments[1], 0, size, data) ||
        !VerQueryValueA(data, "\\", (void **)&fixed, &length)) {
        return 1;
    }
    printf("fixed\t%u.%u.%u.%u\n", HIWORD(fixed->dwFileVersionMS), LOWORD(fixed->dwFileVersionMS), HIWORD(fixed->dwFileVersionLS),
           LOWORD(fixed->dwFileVersionLS));
    printf("type\t%lu\n", fixed->dwFileType);
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        char path[100];
        char *text = NULL;
        sprintf(path, "\\StringFileInfo\\040904B0\\%s", names[i]);
        printf("%s\t%s\n", names[i], VerQueryValueA(data, path, (void **)&text, &length) ? text : "-");
    }
    free(data);
    return 0;
}
