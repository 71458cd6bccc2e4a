/** One execution of a test, gathered from the lines about it. */
import { keptBeginning } from '#shared/engine/cut-text.ts';
import type { EvidenceStep } from '#shared/model/tests/evidence.ts';
import type { FoundFile } from '#shared/reports/found.ts';
import { KeptEnd } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { millisecondsOf } from '#shared/reports/times.ts';
import { type PlaywrightError, playwrightErrorOf } from './error-wire.ts';

interface OpenStep {
  readonly title: string;
  readonly category: string;
  readonly depth: number;
  duration: number;
  error: EvidenceStep['error'];
  readonly steps: OpenStep[];
}

const cut = (text: string): string => keptBeginning(text, REPORT_LIMITS.stepTitleCharacters);

export class BlobResult {
  readonly workerIndex: number;
  readonly parallelIndex: number;
  readonly startTime: number | undefined;
  readonly stdout = new KeptEnd(REPORT_LIMITS.outputCharacters);
  readonly stderr = new KeptEnd(REPORT_LIMITS.outputCharacters);
  readonly files: FoundFile[] = [];
  readonly #steps: OpenStep[] = [];
  readonly #byId = new Map<string, OpenStep>();

  constructor(of: {
    workerIndex: number | undefined;
    parallelIndex: number | undefined;
    startTime: number | undefined;
  }) {
    this.workerIndex = of.workerIndex ?? -1;
    this.parallelIndex = of.parallelIndex ?? -1;
    this.startTime = of.startTime;
  }

  beginStep(step: { id: string; parentStepId: string; title: string; category: string }): void {
    const parent = this.#byId.get(step.parentStepId);
    const depth = (parent?.depth ?? 0) + 1;
    if (this.#byId.size === REPORT_LIMITS.stepsPerTest || depth > REPORT_LIMITS.stepDepth) return;
    const open = { title: cut(step.title), category: cut(step.category), depth, duration: -1, error: null, steps: [] };
    (parent?.steps ?? this.#steps).push(open);
    this.#byId.set(step.id, open);
  }

  /** The errors of the test already contain the stack of the failed step. */
  endStep(step: { id: string; duration: number | undefined; error?: PlaywrightError | null | undefined }): void {
    const open = this.#byId.get(step.id);
    if (!open) return;
    open.duration = step.duration === undefined ? -1 : millisecondsOf(step.duration);
    if (step.error) open.error = { ...playwrightErrorOf(step.error), stack: null };
  }

  get steps(): EvidenceStep[] {
    return this.#steps;
  }

  addFile(file: FoundFile): void {
    // One more than a report keeps, so that the excess causes a warning.
    if (this.files.length <= REPORT_LIMITS.filesPerReport) this.files.push(file);
  }
}
