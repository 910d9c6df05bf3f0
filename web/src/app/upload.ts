// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Files from a drop or a dialog to the project, a few at a time. What is refused keeps its sentence.
import { announceFiles, sendFile } from "./api";

export interface Sending {
  name: string;
  share: number;
  message: string; // why it was refused; empty while all is well
}

interface Found {
  name: string;
  file: File;
}

/** All files of a drop, folders opened. Reading a folder yields a hundred entries a time. */
export async function droppedFiles(transfer: DataTransfer): Promise<Found[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((e): e is FileSystemEntry => e !== null);
  if (entries.length === 0) return [...transfer.files].map((file) => ({ name: file.name, file }));
  const found: Found[] = [];
  const visit = async (entry: FileSystemEntry, path: string): Promise<void> => {
    if (entry.isFile) {
      const file = await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
      found.push({ name: path + entry.name, file });
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
      if (some.length === 0) return;
      for (const child of some) await visit(child, `${path}${entry.name}/`);
    }
  };
  for (const entry of entries) await visit(entry, "");
  return found;
}

/** A folder's own name says nothing once it is a project: its files come without it. */
function withoutCommonFolder(files: Found[]): Found[] {
  const first = files[0]?.name.split("/")[0];
  const common = files.length > 0 && files.every((f) => f.name.includes("/") && f.name.split("/")[0] === first);
  return common ? withoutCommonFolder(files.map((f) => ({ ...f, name: f.name.slice(first!.length + 1) }))) : files;
}

/** Hidden files of the system come with folders; nobody meant them. */
const meant = (name: string): boolean => name.split("/").every((part) => !part.startsWith(".") && part !== "Thumbs.db" && part !== "__MACOSX");

export class Uploads {
  readonly files: Sending[] = [];
  private active = 0;

  constructor(private readonly project: string, private readonly changed: () => void) {}

  get busy(): boolean {
    return this.active > 0;
  }
  forgetRefused(): void {
    for (let i = this.files.length - 1; i >= 0; --i) if (this.files[i]!.message) this.files.splice(i, 1);
    this.changed();
  }

  async add(given: Found[]): Promise<void> {
    const files = withoutCommonFolder(given).filter((f) => meant(f.name));
    this.active += 1;
    try {
      for (let begin = 0; begin < files.length; begin += 500) await this.sendSome(files.slice(begin, begin + 500));
    } finally {
      this.active -= 1;
      this.changed();
    }
  }

  private async sendSome(files: Found[]): Promise<void> {
    const sending = files.map(({ name }) => ({ name, share: 0, message: "" }));
    this.files.push(...sending);
    this.changed();
    const answers = await announceFiles(this.project, files.map(({ name, file }) => ({ name, bytes: file.size })));
    const wanted: number[] = [];
    answers.files.forEach((answer, i) => {
      if (answer.ok) wanted.push(i);
      else sending[i]!.message = answer.message ?? "refused";
    });
    this.changed();
    const worker = async (): Promise<void> => {
      for (let i = wanted.shift(); i !== undefined; i = wanted.shift()) {
        const entry = sending[i]!;
        try {
          await sendFile(this.project, entry.name, files[i]!.file, (share) => {
            entry.share = share;
            this.changed();
          });
          this.files.splice(this.files.indexOf(entry), 1);
        } catch (error) {
          entry.message = (error as Error).message;
        }
        this.changed();
      }
    };
    await Promise.all([worker(), worker(), worker()]);
  }
}
