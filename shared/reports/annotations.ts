/** Truncates annotations to the limits that apply to all recorded tests. */
import { cutText } from '#shared/engine/cut-text.ts';
import { copyText } from '#shared/engine/own-copy.ts';
import type { Annotation } from '#shared/model/results/attempt.ts';
import { REPORT_LIMITS } from './limits.ts';

export function limitAnnotations(all: readonly Annotation[]): Annotation[] {
  return all.slice(0, REPORT_LIMITS.annotationsPerTest).map(({ type, description }) => ({
    type: copyText(cutText(type, REPORT_LIMITS.annotationTypeCharacters)),
    description:
      description === null ? null : copyText(cutText(description, REPORT_LIMITS.annotationDescriptionCharacters)),
  }));
}

export function deriveExpectedStatus(annotations: readonly Annotation[]): 'failed' | 'skipped' | 'passed' {
  if (annotations.some(({ type }) => type === 'skip' || type === 'fixme')) return 'skipped';
  return annotations.some(({ type }) => type === 'fail') ? 'failed' : 'passed';
}
