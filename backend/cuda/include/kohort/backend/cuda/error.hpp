// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Where DeviceError was before every GPU had one.
#include <kohort/device_error.hpp>
