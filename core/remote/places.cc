#include "core/remote/places.h"

#include <algorithm>

namespace bp::remote {
namespace {

enum class Form : std::uint8_t {
  Nowhere,   // {0, 0}
  Named,     // id, offset
  Filled,    // id, offset, content: for a piece that the caller can write to without a call
  Content,   // content
  Room,      // size
  Same,      // index of the place with the same location
  Constant,  // the constant that was given to load()
  Unknown,
};

// One place as it is encoded.
struct Travelling {
  Form form;
  bp_loc_t named{};
  std::uint64_t size = 0;  // Room: bytes; Same: the index of the place
  Bytes content;

  explicit Travelling(Reader &reader) : form(reader.number<Form>()) {
    switch (form) {
      case Form::Nowhere:
      case Form::Content:
      case Form::Constant:
      case Form::Unknown: break;
      case Form::Named:
      case Form::Filled: reader.number(named); break;
      case Form::Room:
      case Form::Same: reader.number(size); break;
      default: reader.fail(fmt::format("a place of form {}", static_cast<int>(form))); break;
    }
    if (form == Form::Filled || form == Form::Content) {
      content = reader.content();
    }
  }
};

void write_place(Writer &writer, const Place &place) {
  const Caller &caller = *writer.caller();
  const bp_loc_t carried = caller.carried(place.location);
  const bool is_read = place.use == Place::Use::Reads;
  const auto bytes = is_read ? caller.visible(place.location, place.size) : std::nullopt;
  if (carried.memory != 0) {
    writer.number(bytes.has_value() ? Form::Filled : Form::Named);
    writer.number(carried);
    if (bytes.has_value()) {
      writer.content(*bytes);
    }
  } else if (bytes.has_value()) {
    writer.number(Form::Content);
    writer.content(*bytes);
  } else {
    writer.number(Form::Room);
    writer.number(place.size);
  }
}

}  // namespace

void write_places(Writer &writer, std::span<const Place> places) {
  std::unordered_map<std::uint64_t, std::uint64_t> first;  // by address, the index of the first place with it
  writer.number(std::uint64_t{places.size()});
  for (std::uint64_t i = 0; i < places.size(); ++i) {
    const Place &place = places[i];
    if (place.location.memory == 0 && place.location.offset == 0) {
      writer.number(Form::Nowhere);
      continue;
    }
    const bool is_host = writer.caller()->carried(place.location).memory == 0;
    if (is_host && place.use == Place::Use::Constant) {
      writer.number(Form::Constant);
      continue;
    }
    if (is_host && place.use == Place::Use::Unknown) {
      writer.number(Form::Unknown);
      continue;
    }
    if (is_host && place.size > 0) {
      if (const auto [same, is_new] = first.try_emplace(place.location.offset, i); !is_new) {
        writer.number(Form::Same);
        writer.number(same->second);
        continue;
      }
    }
    write_place(writer, place);
  }
}

Places::Places(Reader &reader, const Arrival &arrival) {
  const std::size_t count = reader.count();
  for (std::size_t i = 0; i < count; ++i) {
    const Travelling place(reader);
    bp_loc_t location{};
    std::span<std::byte> visible;
    auto make_block = [&](std::size_t size) {
      Block &block = blocks_.emplace_back();
      block.resize(std::max<std::size_t>(size, 1));
      location = {0, reinterpret_cast<std::uint64_t>(block.data())};
      visible = std::span(block).first(size);
    };
    switch (place.form) {
      case Form::Named:
      case Form::Filled: {
        const std::optional<Piece> piece = arrival.objects.piece(place.named.memory);
        if (!piece.has_value() || place.named.offset > piece->size ||
            place.content.size() > piece->size - place.named.offset) {
          reader.fail(fmt::format("a place outside of memory {}", place.named.memory));
          break;
        }
        location = {piece->location.memory, piece->location.offset + place.named.offset};
        if (piece->host != nullptr) {
          visible = {piece->host + place.named.offset, static_cast<std::size_t>(piece->size - place.named.offset)};
        }
        break;
      }
      case Form::Content: make_block(place.content.size()); break;
      case Form::Room: make_block(place.size); break;
      case Form::Same:
        if (place.size >= i) {
          reader.fail(fmt::format("place {} is the same as place {}, which comes later", i, place.size));
          break;
        }
        location = locations_[place.size];
        visible = visible_[place.size];
        break;
      case Form::Constant:
        if (arrival.program == nullptr || i >= arrival.program->constants->size()) {
          reader.fail("a constant that was not given to load()");
        } else {
          location = arrival.program->constants->location(i);
        }
        break;
      case Form::Unknown:
        reader.fail("nobody knows the size of its memory: what it runs was not compiled here, but taken from a cache");
        break;
      default: break;
    }
    if (arrival.program != nullptr && arrival.program->has_taken(i)) {
      location = {};  // even if it had not taken it when this was recorded
      visible = {};
    }
    std::ranges::copy(place.content.first(std::min(place.content.size(), visible.size())), visible.begin());
    locations_.push_back(location);
    visible_.push_back(visible);
  }
}

bool Places::has_room(std::size_t place, std::uint64_t size) const {
  return place < locations_.size() && (visible_[place].data() == nullptr || visible_[place].size() >= size);
}

Bytes Places::bytes(const Slice &slice) const {
  if (slice.place >= visible_.size() || slice.offset > visible_[slice.place].size() ||
      slice.size > visible_[slice.place].size() - slice.offset) {
    return {};
  }
  return visible_[slice.place].subspan(slice.offset, slice.size);
}

void skip_places(Reader &reader) {
  for (std::size_t i = reader.count(); i > 0 && reader.ok(); --i) {
    Travelling skipped(reader);
  }
}

void write_slices(Writer &writer, std::span<const Slice> slices) {
  writer.number(std::uint64_t{slices.size()});
  for (const Slice &slice : slices) {
    writer.number(slice);
  }
}

std::vector<Slice> read_slices(Reader &reader) {
  std::vector<Slice> slices(reader.count(sizeof(Slice)));
  for (Slice &slice : slices) {
    reader.number(slice);
  }
  return slices;
}

}  // namespace bp::remote
