// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "workbench_routes.h"

#include <algorithm>
#include <charconv>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pmtr/core/file.h"
#include "pmtr/formats/field_reader.h"
#include "pmtr/formats/zip_writer.h"
#include "pmtr/report/page/web_bundle.h"

// Last: it defines _res, a name that Eigen uses.
#include <httplib.h>

namespace pmtr::command {
namespace {

namespace fs = std::filesystem;
using httplib::Request;
using httplib::Response;

/// One value of the query, decoded once; empty if it is not there.
std::string query(const Request& request, const char* key) { return request.get_param_value(key); }

void answer_error(Response& response, const Error& error) {
  answer_result(response, false, error.text());
  if (error.cause == Cause::unreadable) response.status = 404;
  if (error.cause == Cause::too_large) response.status = 507;
}

void answer_json(Response& response, const Result<Workbench::Json>& json) {
  if (!json.ok()) return answer_error(response, json.error());
  response.set_content(json->dump(-1, ' ', false, Workbench::Json::error_handler_t::replace),
                       "application/json");
}

void answer_status(Response& response, const Status& status) {
  if (!status.ok()) return answer_error(response, status.error());
  answer_result(response, true, "");
}

void answer_file(Response& response, const Result<fs::path>& path, const char* type) {
  if (!path.ok()) return answer_error(response, path.error());
  const auto bytes = read_file(*path, std::uint64_t{1} << 30U);
  if (!bytes.ok()) return answer_error(response, Error{Cause::unreadable, "not there yet", {}});
  response.set_content(std::string(as_text(*bytes)), type);
}

/// Every byte that is not plain is written as a number: no name can end the header or the quotes.
std::string attachment(const std::string& name) {
  std::string text = "attachment; filename*=UTF-8''";
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    text += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

void send_zip(const std::string& id, Response& response, const Result<Workbench::ResultFiles>& found) {
  if (!found.ok()) return answer_error(response, found.error());
  response.set_header("Content-Disposition", attachment(id + ".zip"));
  response.set_chunked_content_provider(
      "application/zip", [id, files = *found](std::size_t, httplib::DataSink& sink) {
        ZipWriter zip([&](std::span<const std::byte> bytes) {
          return sink.write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        });
        for (const std::string& name : files.names) {
          // A broken connection tells the browser that the archive is not whole.
          if (!zip.add_file(id + "/" + name, files.folder / name).ok()) return false;
        }
        if (!zip.finish().ok()) return false;
        sink.done();
        return true;
      });
}

void send_result_file(const std::string& name, Response& response,
                      const Result<Workbench::ResultFiles>& found) {
  if (!found.ok()) return answer_error(response, found.error());
  // Only what is in the list: a name is never made into a path.
  if (std::find(found->names.begin(), found->names.end(), name) == found->names.end())
    return answer_error(response, Error{Cause::unreadable, "there is no such file", {}});
  const auto file = std::make_shared<std::ifstream>(found->folder / name, std::ios::binary);
  std::error_code error;
  const auto size = fs::file_size(found->folder / name, error);
  if (!*file || error) return answer_error(response, Error{Cause::unreadable, "cannot be read", {}});
  response.set_header("Content-Disposition", attachment(fs::path(name).filename().string()));
  response.set_content_provider(
      size, "application/octet-stream",
      [file, lock = found->lock](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        std::vector<char> buffer(std::min<std::size_t>(length, std::size_t{1} << 20U));
        file->seekg(static_cast<std::streamoff>(offset));
        file->read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
        return file->gcount() > 0 && sink.write(buffer.data(), static_cast<std::size_t>(file->gcount()));
      });
}

/// report.html for looking and printing. It runs apart from the workbench, as a page of no origin at all.
void send_report(Response& response, const Result<Workbench::ResultFiles>& found) {
  if (!found.ok()) return answer_error(response, found.error());
  answer_file(response, found->folder / "report.html", "text/html; charset=utf-8");
  response.headers.erase("Content-Security-Policy");
  response.set_header("Content-Security-Policy",
                      "sandbox allow-scripts allow-modals; default-src 'none'; script-src 'unsafe-inline'; "
                      "style-src 'unsafe-inline'; img-src data: blob:; frame-ancestors 'none'");
}

Workbench::Json file_list(const Workbench::ResultFiles& files) {
  Workbench::Json list = Workbench::Json::array();
  for (const std::string& name : files.names) {
    std::error_code ignored;
    list.push_back({{"name", name}, {"bytes", fs::file_size(files.folder / name, ignored)}});
  }
  return {{"files", std::move(list)}};
}

void receive_file(Workbench& workbench, const Request& request, Response& response,
                  const httplib::ContentReader& reader) {
  // Of what is refused the rest is read and forgotten, or a browser that still sends never sees the answer.
  constexpr std::uint64_t patience = std::uint64_t{64} << 20U;
  std::uint64_t length = 0;
  const std::string text = request.get_header_value("Content-Length");
  std::from_chars(text.data(), text.data() + text.size(), length);
  bool asked = false;
  bool refused = false;
  const UploadSource source = [&](const std::function<bool(const char*, std::size_t)>& take) {
    asked = true;
    const bool complete = reader([&](const char* data, std::size_t size) {
      refused = refused || !take(data, size);
      return !refused || length <= patience;
    });
    return complete && !refused;
  };
  const Status stored = workbench.receive(query(request, "project"), query(request, "name"), length, source);
  if (!asked && length <= patience) reader([](const char*, std::size_t) { return true; });
  response.status = -1;  // httplib has put its own where the connection broke
  answer_status(response, stored);
}

void add_project_routes(LocalServer& server, Workbench& workbench) {
  server.get("api/projects",
             [&](const Request&, Response& response) { answer_json(response, workbench.projects()); });
  server.post_json("api/projects", [&](const Request& request, Response& response) {
    const std::string place = "the request";
    const auto json = json_fields::parse(request.body, place);
    std::string name;
    if (!json.ok()) return answer_error(response, json.error());
    json_fields::FieldReader reader(*json, {place, ""});
    reader.required("name", name);
    if (!reader.ok()) return answer_error(response, reader.status().error());
    const auto id = workbench.create(name);
    if (!id.ok()) return answer_error(response, id.error());
    answer_json(response, Workbench::Json{{"ok", true}, {"id", *id}});
  });
  server.get("api/project", [&](const Request& request, Response& response) {
    answer_json(response, workbench.project(query(request, "project"), query(request, "study") != "0"));
  });
  server.post_json("api/project", [&](const Request& request, Response& response) {
    answer_status(response, workbench.change(query(request, "project"), request.body));
  });
  server.get("api/picture", [&](const Request& request, Response& response) {
    answer_file(response, workbench.picture(query(request, "project")), "image/png");
  });
}

void add_fragment_routes(LocalServer& server, Workbench& workbench) {
  server.post_json("api/announce", [&](const Request& request, Response& response) {
    answer_json(response, workbench.announce(query(request, "project"), request.body));
  });
  server.put("api/fragment",
             [&](const Request& request, Response& response, const httplib::ContentReader& reader) {
               receive_file(workbench, request, response, reader);
             });
  server.remove("api/fragment", [&](const Request& request, Response& response) {
    answer_status(response, workbench.remove_fragment(query(request, "project"), query(request, "name")));
  });
  server.get("api/thumbnail", [&](const Request& request, Response& response) {
    answer_file(response, workbench.thumbnail(query(request, "project"), query(request, "name")),
                "image/png");
  });
}

void add_result_routes(LocalServer& server, Workbench& workbench) {
  server.post_json("api/run", [&](const Request& request, Response& response) {
    answer_status(response, workbench.start(query(request, "project")));
  });
  server.post_json("api/cancel", [&](const Request& request, Response& response) {
    answer_status(response, workbench.cancel(query(request, "project")));
  });
  server.post_json("api/solve", [&](const Request& request, Response& response) {
    answer_json(response, workbench.solve(query(request, "project"), request.body));
  });
  server.post_json("api/snap", [&](const Request& request, Response& response) {
    answer_json(response, workbench.snap(query(request, "project"), request.body));
  });
  server.post_json("api/look", [&](const Request& request, Response& response) {
    answer_status(response, workbench.look(query(request, "project")));
  });
  server.get("api/object", [&](const Request& request, Response& response) {
    auto elements = workbench.object(query(request, "project"));
    if (!elements.ok()) return answer_error(response, elements.error());
    response.set_content(*std::move(elements), "text/plain; charset=utf-8");
  });
  server.get("api/report", [&](const Request& request, Response& response) {
    send_report(response, workbench.result_files(query(request, "project")));
  });
  server.get("api/files", [&](const Request& request, Response& response) {
    const auto files = workbench.result_files(query(request, "project"));
    if (!files.ok()) return answer_error(response, files.error());
    answer_json(response, file_list(*files));
  });
  server.get("api/file", [&](const Request& request, Response& response) {
    send_result_file(query(request, "name"), response, workbench.result_files(query(request, "project")));
  });
  server.get("api/zip", [&](const Request& request, Response& response) {
    const std::string id = query(request, "project");
    send_zip(id, response, workbench.result_files(id));
  });
}

}  // namespace

LocalServer::Options workbench_server_options() {
  LocalServer::Options options;
  options.connections = 64;
  options.policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src "
      "'self'; "
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return options;
}

void add_workbench_routes(LocalServer& server, Workbench& workbench) {
  const auto serve = [&](const char* path, std::string_view content, const char* type) {
    server.get(path, [content, type](const Request&, Response& response) {
      response.set_content(std::string(content), type);
    });
  };
  serve("", web::app_page(), "text/html; charset=utf-8");
  serve("app.js", web::app_script(), "text/javascript; charset=utf-8");
  serve("app.css", web::app_style(), "text/css; charset=utf-8");
  add_project_routes(server, workbench);
  add_fragment_routes(server, workbench);
  add_result_routes(server, workbench);
}

}  // namespace pmtr::command
