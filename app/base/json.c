#include "app/base/json.h"

#include "app/base/output.h"

bool json_add_number(cJSON *object, const char *name, double value) {
    return cJSON_AddNumberToObject(object, name, value) != NULL;
}

bool json_add_text(cJSON *object, const char *name, const char *value) {
    if (!value) return cJSON_AddNullToObject(object, name) != NULL;
    return cJSON_AddStringToObject(object, name, value) != NULL;
}

bool json_put(cJSON *json, bool compact) {
    char *text = !json ? NULL : compact ? cJSON_PrintUnformatted(json) : cJSON_Print(json);
    cJSON_Delete(json);
    if (!text) return false;
    output_string(text);
    output_string("\n");
    cJSON_free(text);
    return true;
}
