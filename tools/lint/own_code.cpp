// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
//
// A plugin for clang-tidy 14: checks look at our own declarations only. Without it every check also walks
// through all that torch, Eigen and the standard library declare, to say nothing about it in the end.
// scripts/lint.sh has the times.
#include <memory>
#include <string>
#include <vector>

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/FrontendPluginRegistry.h>

namespace {

class OwnCode : public clang::ASTConsumer {
 public:
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* declaration : group) {
      const clang::SourceManager& sources = declaration->getASTContext().getSourceManager();
      if (!sources.isInSystemHeader(sources.getExpansionLoc(declaration->getLocation())))
        own_.push_back(declaration);
    }
    return true;
  }
  void HandleTranslationUnit(clang::ASTContext& context) override { context.setTraversalScope(own_); }

 private:
  std::vector<clang::Decl*> own_;
};

class OwnCodeAction : public clang::PluginASTAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<OwnCode>();
  }
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override { return true; }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

const clang::FrontendPluginRegistry::Add<OwnCodeAction> registered("own-code", "checks see own code only");

}  // namespace
