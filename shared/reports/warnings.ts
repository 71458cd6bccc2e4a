/** Warnings about a file for its sender. The first ones are kept. */
import { visibleLine } from '#shared/engine/plain-text.ts';
import { REPORT_LIMITS } from './limits.ts';
import type { ReportWarning } from './report.ts';

export class Warnings {
  readonly #all: ReportWarning[] = [];
  readonly #said = new Set<string>();

  add(message: string, line: number | null = null): void {
    if (this.#all.length >= REPORT_LIMITS.warnings) return;
    const shown = visibleLine(message).slice(0, REPORT_LIMITS.warningCharacters).toWellFormed();
    this.#all.push({ line, message: shown });
  }

  /** For facts that may hold for many tests. */
  once(message: string, line: number | null = null): void {
    if (this.#said.has(message)) return;
    this.#said.add(message);
    this.add(message, line);
  }

  get all(): readonly ReportWarning[] {
    return this.#all;
  }
}
