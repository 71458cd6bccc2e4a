/** The files of tests that wait for their upload. */
import { getErrorMessage } from '../settings/failure.ts';
import { type Connection, GaveUp } from './connection.ts';
import { type FileOfSpec, prepareUpload } from './prepare-upload.ts';

const FILES_PER_CALL = 100;
const UPLOADS_TOGETHER = 4;

interface FileUploadsOptions {
  readonly connection: Connection;
  readonly machineId: string;
  /** Resolves when the recording has started, or with `undefined` if it could not start. */
  readonly runId: () => Promise<string | undefined>;
  /** Whether the service knows the spec file. It refuses files of others. */
  readonly isKnown: (place: Pick<FileOfSpec, 'group' | 'spec'>) => boolean;
  readonly onProblem: (problem: string) => void;
}

export class FileUploads {
  readonly #options: FileUploadsOptions;
  readonly #waitingFiles: FileOfSpec[] = [];
  /** When the oldest file that is not uploaded yet was added. */
  #waitingSince = 0;
  #upload: Promise<void> | undefined;
  isStorageFull = false;
  /** Whether files that are still on the disk are missing in the service. */
  leavesFiles = false;

  constructor(options: FileUploadsOptions) {
    this.#options = options;
  }

  /** `since`: the time from which the files wait, in epoch milliseconds. */
  add(files: readonly FileOfSpec[], since = Date.now()): void {
    if (this.#waitingFiles.length === 0) this.#waitingSince = since;
    this.#waitingFiles.push(...files);
  }

  /** Uploads files in the background, if enough of them wait, or one for longer than `pause` milliseconds. */
  uploadDue(now: number, pause: number): void {
    const areDue = this.#waitingFiles.length >= FILES_PER_CALL || now - this.#waitingSince >= pause;
    if (areDue && this.#hasUploadable()) void this.#startUpload();
  }

  async uploadAll(): Promise<void> {
    while (this.#upload !== undefined || this.#hasUploadable()) await this.#startUpload();
  }

  #hasUploadable(): boolean {
    return this.#waitingFiles.some(this.#options.isKnown);
  }

  #startUpload(): Promise<void> {
    this.#upload ??= this.#uploadNext().finally(() => {
      this.#upload = undefined;
    });
    return this.#upload;
  }

  /** Uploads up to 100 files. */
  async #uploadNext(): Promise<void> {
    const { runId: readRunId, isKnown } = this.#options;
    const runId = await readRunId();
    const files = this.#waitingFiles.filter(isKnown).slice(0, FILES_PER_CALL);
    const rest = this.#waitingFiles.filter((file) => !files.includes(file));
    this.#waitingFiles.splice(0, this.#waitingFiles.length, ...rest);
    this.#waitingSince = Date.now();
    if (runId !== undefined) await this.#send(runId, files);
  }

  /** The largest file comes last, so that many small ones do not wait for a video. */
  async #send(runId: string, files: readonly FileOfSpec[]): Promise<void> {
    const { connection, onProblem } = this.#options;
    try {
      const uploads = (await Promise.all(files.map((file) => this.#prepareUpload(file)))).filter(
        (upload) => upload !== undefined,
      );
      if (uploads.length === 0) return;
      const json = JSON.stringify({ machineId: this.#options.machineId, files: uploads.map(({ wire }) => wire) });
      const { files: answers } = await connection.post(`/recordings/${runId}/files`, json);
      const links = uploads.flatMap((file, index) => {
        const { uploadUrl = null, reason = null } = (Array.isArray(answers) ? answers[index] : undefined) ?? {};
        if (reason === 'tooLarge') onProblem(`${file.wire.name} of ${file.wire.spec} is too large and was left out`);
        if (reason === 'storageFull') this.isStorageFull = true;
        return typeof uploadUrl === 'string' ? [{ ...file, uploadUrl }] : [];
      });
      const queue = links.sort((one, other) => one.wire.bytes - other.wire.bytes);
      const work = async () => {
        for (let next = queue.shift(); next; next = queue.shift())
          await connection.put(next.uploadUrl, await next.open(), next.wire.contentType);
      };
      await Promise.all(Array.from({ length: UPLOADS_TOGETHER }, work));
    } catch (error) {
      this.leavesFiles ||= files.some(({ content }) => 'path' in content);
      const reason = error instanceof GaveUp ? connection.problem : getErrorMessage(error);
      onProblem(`Some files were not uploaded: ${reason}`);
    }
  }

  async #prepareUpload(file: FileOfSpec) {
    const upload = await prepareUpload(file);
    if (!upload) this.#options.onProblem(`${file.name} of ${file.spec} was left out, because its file cannot be read`);
    return upload;
  }
}
