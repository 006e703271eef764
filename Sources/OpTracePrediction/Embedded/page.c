#include "COpTracePredictionPage.h"

#include <string.h>

#define FILES(file) \
  file(prediction, "OpTracePrediction/Page/prediction.mjs")
#define PREFIX optrace_prediction_page
#include "COpTraceScripts/embedding.h"
