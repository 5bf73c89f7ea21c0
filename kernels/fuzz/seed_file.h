// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace sparkgap {

/// A valid Arrow file of seeds/, and where its fields stand (make_seeds.py), to be changed one by one. SeedFile.java is
/// its like.
class SeedFile {
 public:
  explicit SeedFile(const std::string& name) {
    const std::string path = std::string(SPARKGAP_SEEDS) + "/" + name;
    std::ifstream whole(path + ".arrow", std::ios::binary), fields(path + ".fields");
    bytes_.assign(std::istreambuf_iterator<char>(whole), {});
    for (std::string line; std::getline(fields, line);) {
      std::istringstream words(line);
      Field field;
      words >> field.at >> field.bytes >> field.name;
      fields_.push_back(field);
    }
    if (bytes_.empty() || fields_.empty()) throw std::runtime_error("no seed at " + path);
  }
  /// A copy to work on.
  std::string bytes() const { return bytes_; }
  /// Sets the field of that name in a copy.
  void set(std::string& copy, const std::string& name, int64_t value) const { put(copy, field(name), value); }
  int64_t get(const std::string& copy, const std::string& name) const { return get(copy, field(name)); }

  /// What 11 bytes each say is to be changed: which field (2), how (1), by what (8).
  static constexpr size_t kChangeBytes = 11;
  std::string changed(const uint8_t* program, size_t size) const {
    std::string copy = bytes_;
    for (; size >= kChangeBytes; size -= kChangeBytes, program += kChangeBytes) {
      uint16_t number;
      int64_t value;
      std::memcpy(&number, program, 2);
      std::memcpy(&value, program + 3, 8);
      const Field& field = fields_[number % fields_.size()];
      switch (program[2] & 3) {
        case 0:
          break;
        case 1:
          value = static_cast<int64_t>(static_cast<uint64_t>(get(copy, field)) +
                                       static_cast<uint64_t>(static_cast<int64_t>(static_cast<int8_t>(value))));
          break;
        case 2:
          value = edges()[static_cast<uint64_t>(value) % edges().size()];
          break;
        default:
          value = get(copy, fields_[static_cast<uint64_t>(value) % fields_.size()]);
      }
      put(copy, field, value);
    }
    return copy;
  }

 private:
  struct Field {
    size_t at = 0, bytes = 0;
    std::string name;
  };
  /// What numbers of lengths and places go wrong at.
  static const std::vector<int64_t>& edges() {
    static const std::vector<int64_t> all{0,
                                          1,
                                          -1,
                                          2,
                                          7,
                                          8,
                                          63,
                                          64,
                                          127,
                                          128,
                                          255,
                                          256,
                                          0x7fff,
                                          0x8000,
                                          0xffff,
                                          INT32_MAX,
                                          INT32_MIN,
                                          0xffffffff,
                                          int64_t{1} << 32,
                                          int64_t{1} << 40,
                                          int64_t{1} << 59,
                                          int64_t{1} << 60,
                                          (int64_t{1} << 61) - 1,
                                          int64_t{1} << 61,
                                          (int64_t{1} << 62) - 1,
                                          int64_t{1} << 62,
                                          INT64_MAX - 63,
                                          INT64_MAX - 7,
                                          INT64_MAX,
                                          INT64_MIN,
                                          -8,
                                          -64};
    return all;
  }
  const Field& field(const std::string& name) const {
    for (const Field& field : fields_)
      if (field.name == name) return field;
    throw std::runtime_error("no field " + name);
  }
  static int64_t get(const std::string& copy, const Field& field) {
    uint64_t value = 0;
    std::memcpy(&value, copy.data() + field.at, field.bytes);
    return static_cast<int64_t>(value);
  }
  static void put(std::string& copy, const Field& field, int64_t value) {
    std::memcpy(copy.data() + field.at, &value, field.bytes);
  }

  std::string bytes_;
  std::vector<Field> fields_;
};

}  // namespace sparkgap
