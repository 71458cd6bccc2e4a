/** Processes the events of a blob report. */
import type * as z from 'zod';
import { base64File } from '#shared/reports/base64-file.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { epochIn } from '#shared/reports/times.ts';
import type { Warnings } from '#shared/reports/warnings.ts';
import { BlobResult } from './blob-result.ts';
import { BlobTests } from './blob-tests.ts';
import {
  Attach,
  type BlobAttachment,
  BlobEnd,
  BlobProject,
  Configure,
  Metadata,
  Output,
  RunError,
  StepBegin,
  StepEnd,
  TestBegin,
  TestEnd,
} from './blob-wire.ts';

/** Most executions that have begun and not ended. A machine has few workers. */
const OPEN_RESULTS = 10_000;

export class BlobEvents {
  readonly #input: ParserInput;
  readonly #warnings: Warnings;
  readonly #open = new Map<string, BlobResult>();
  readonly tests: BlobTests;
  readonly runErrors: string[] = [];
  begun = false;
  ended = false;
  version = 0;
  frameworkVersion: string | null = null;
  shard: ParsedFile['shard'] = null;
  metadata: unknown;
  startedAt: number | null = null;

  constructor(input: ParserInput, warnings: Warnings) {
    this.#input = input;
    this.#warnings = warnings;
    this.tests = new BlobTests(input);
  }

  take(method: string, params: unknown): void {
    const readers: Readonly<Record<string, () => void>> = {
      onBlobReportMetadata: () => this.#metadata(Metadata.safeParse(params).data),
      onConfigure: () => this.#configure(Configure.safeParse(params).data),
      onProject: () => this.#project(BlobProject.safeParse(params).data),
      onTestBegin: () => this.#testBegin(TestBegin.safeParse(params).data),
      onStepBegin: () => this.#step(StepBegin.safeParse(params).data),
      onStepEnd: () => this.#stepEnd(StepEnd.safeParse(params).data),
      onAttach: () => this.#attach(Attach.safeParse(params).data),
      onStdIO: () => this.#output(Output.safeParse(params).data),
      onTestEnd: () => this.#testEnd(TestEnd.safeParse(params).data),
      onError: () => this.#error(RunError.safeParse(params).data),
      onEnd: () => this.#end(BlobEnd.safeParse(params).data),
    };
    if (Object.hasOwn(readers, method)) readers[method]?.();
  }

  #metadata(data: z.output<typeof Metadata> | undefined): void {
    this.begun = true;
    this.version = data?.version ?? 0;
    this.shard = data?.shard ?? this.shard;
    this.frameworkVersion = /^Playwright\/(\S{1,40})/.exec(data?.userAgent ?? '')?.[1] ?? this.frameworkVersion;
  }

  #configure(data: z.output<typeof Configure> | undefined): void {
    if (!data) return;
    this.begun = true;
    this.frameworkVersion = data.config.version || this.frameworkVersion;
    this.shard = data.config.shard ?? this.shard;
    this.metadata = data.config.metadata;
  }

  #project(data: z.output<typeof BlobProject> | undefined): void {
    if (data) this.tests.addProject(data.project.name, data.project.suites);
  }

  #testBegin(data: z.output<typeof TestBegin> | undefined): void {
    if (!data || !this.tests.has(data.testId) || this.#open.size === OPEN_RESULTS) return;
    this.#open.set(data.result.id, new BlobResult(data.result));
  }

  #step(data: z.output<typeof StepBegin> | undefined): void {
    if (data) this.#open.get(data.resultId)?.beginStep(data.step);
  }

  #stepEnd(data: z.output<typeof StepEnd> | undefined): void {
    if (data) this.#open.get(data.resultId)?.endStep(data.step);
  }

  #attach(data: z.output<typeof Attach> | undefined): void {
    const result = data && this.#open.get(data.resultId);
    if (result) for (const attachment of data.attachments) this.#addFile(result, attachment);
  }

  #addFile(result: BlobResult, attachment: BlobAttachment): void {
    const { base64 } = attachment;
    const file = base64 === '' ? this.#input.fileAt(attachment) : base64File(attachment, base64);
    if (file) result.addFile(file);
    else this.#warnings.once('The report names some attachments that it does not contain');
  }

  #output(data: z.output<typeof Output> | undefined): void {
    const result = data && this.#open.get(data.resultId);
    if (!result) return;
    const text = data.isBase64 ? Buffer.from(data.data, 'base64').toString('utf8') : data.data;
    (data.type === 'stderr' ? result.stderr : result.stdout).add(text);
  }

  #testEnd(data: TestEnd | undefined): void {
    const result = data && this.#open.get(data.result.id);
    if (!result) return;
    this.#open.delete(data.result.id);
    // Older reports have the attachments here.
    for (const attachment of data.result.attachments) this.#addFile(result, attachment);
    this.tests.end(data, result);
  }

  #error(data: z.output<typeof RunError> | undefined): void {
    if (data && this.runErrors.length < REPORT_LIMITS.runErrors)
      this.runErrors.push(data.error.message || data.error.value);
  }

  #end(data: z.output<typeof BlobEnd> | undefined): void {
    this.ended = true;
    this.startedAt = epochIn(data?.result.startTime, this.#input.now);
  }
}
