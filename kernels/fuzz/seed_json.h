// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace sparkgap {

/// A valid JSON file of seeds/, to be changed value by value. SeedJson.java is its like.
class SeedJson {
 public:
  using Json = nlohmann::ordered_json;

  explicit SeedJson(const std::string& name) {
    std::ifstream file(std::string(SPARKGAP_SEEDS) + "/" + name + ".json");
    if (!file) throw std::runtime_error("no seed " + name);
    whole_ = Json::parse(file);
  }

  /// What 11 bytes each say is to be changed: which value in the order of the text (2), how (1), by what (8).
  std::string changed(const uint8_t* program, size_t size) const {
    Json copy = whole_;
    for (; size >= 11; size -= 11, program += 11) {
      uint16_t number;
      int64_t value;
      std::memcpy(&number, program, 2);
      std::memcpy(&value, program + 3, 8);
      std::vector<Json::json_pointer> places;
      list(copy, Json::json_pointer(), places);
      const auto place = [&](uint64_t n) { return places[n % places.size()]; };
      const Json::json_pointer at = place(number);
      switch (program[2] % 5) {
        case 0:
          copy[at] = value;
          break;
        case 1:
          copy[at] = odd()[static_cast<uint64_t>(value) % odd().size()];
          break;
        case 2: {
          const Json other = copy[place(static_cast<uint64_t>(value))];
          copy[at] = other;
          break;
        }
        case 3:
          if (at.empty()) copy = Json::array({copy});
          else if (copy[at.parent_pointer()].is_object()) copy[at.parent_pointer()].erase(at.back());
          else copy[at.parent_pointer()].erase(static_cast<size_t>(std::stoul(at.back())));
          break;
        default:
          if (copy[at].is_array() && !copy[at].empty()) copy[at].push_back(Json(copy[at].back()));
          else copy[at] = Json::array({Json(copy[at])});
      }
    }
    return copy.dump();
  }

 private:
  static const std::vector<Json>& odd() {
    static const std::vector<Json> all{
        nullptr,   true,  false, "", "x", "1",       "\u0000",  Json::array(), Json::object(),   0.5,
        -0.0,      1e300, -1,    0,  2,   INT64_MAX, INT64_MIN, UINT64_MAX,    int64_t{1} << 32, int64_t{1} << 62,
        "../../x", "/",   deep()};
    return all;
  }
  static Json deep() {
    Json nested = 1;
    for (int i = 0; i < 500; ++i) nested = Json::array({std::move(nested)});
    return nested;
  }
  /// Not those deep within deep(): the time for their pointers grows with the square of the depth.
  static void list(const Json& json, const Json::json_pointer& at, std::vector<Json::json_pointer>& places,
                   int depth = 0) {
    if (places.size() > 4096 || depth > 20) return;
    places.push_back(at);
    if (json.is_object())
      for (const auto& [key, value] : json.items()) list(value, at / key, places, depth + 1);
    if (json.is_array())
      for (size_t i = 0; i < json.size(); ++i) list(json[i], at / i, places, depth + 1);
  }

  Json whole_;
};

}  // namespace sparkgap
