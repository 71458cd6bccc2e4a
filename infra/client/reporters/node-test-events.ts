/** The events of node:test, and what they say. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject } from '../settings/json.ts';
import type { Outcome } from './messages.ts';

/** The members of events that the reporter reads. No version of Node sends all of them. */
export interface EventData {
  readonly name?: string;
  readonly nesting?: number;
  /** The file that defines the test. It may be a helper of the test file. */
  readonly file?: string;
  /** The test file, in newer versions. */
  readonly entryFile?: string;
  readonly line?: number;
  readonly column?: number;
  readonly testId?: number;
  readonly parentId?: number;
  readonly type?: string;
  readonly tags?: readonly string[];
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  readonly expectFailure?: unknown;
  readonly message?: string;
  readonly success?: boolean;
  readonly details?: { readonly duration_ms?: number; readonly type?: string; readonly error?: unknown };
}

export interface TestEvent {
  readonly type: string;
  readonly data?: EventData;
}

/** Whether an event is about the process of a test file. The name in such an event is the path of the file. */
export function isOfFile({ nesting, name = '', file = '' }: EventData): boolean {
  if (nesting !== 0 || name === '' || file === '') return false;
  return toPath(name) === toPath(file);
}

const toPath = (text: string): string => (text.startsWith('file:') ? fileURLToPath(text) : resolve(text));

export const getProcessFile = ({ entryFile, file = '' }: EventData): string => toPath(entryFile ?? file);

export const isSame = (one: EventData, other: EventData): boolean =>
  one.testId !== undefined && other.testId !== undefined
    ? one.testId === other.testId
    : one.name === other.name &&
      one.nesting === other.nesting &&
      one.line === other.line &&
      one.column === other.column;

export const isBeginning = (names: readonly string[], longer: readonly string[]): boolean =>
  names.every((name, index) => name === longer[index]);

/** Whether a filter leaves the test out. Only Node 20 reports such tests, as skipped. */
export const isFiltered = ({ skip }: EventData): boolean => FILTER_REASONS.has(skip);

const FILTER_REASONS: ReadonlySet<unknown> = new Set(['test name does not match pattern', "'only' option not set"]);

export function deriveEnding(data: EventData, isPassed: boolean): { readonly state: Outcome; readonly status: string } {
  if (data.todo !== undefined && data.todo !== false) return { state: 'pending', status: 'todo' };
  if (data.skip !== undefined && data.skip !== false) return { state: 'pending', status: 'skipped' };
  if (isPassed) return { state: 'passed', status: 'passed' };
  const failureType = getFailureType(data);
  if (failureType === 'cancelledByParent') return { state: 'skipped', status: 'cancelled' };
  return { state: 'failed', status: failureType === 'testTimeoutFailure' ? 'timedOut' : 'failed' };
}

export function listAnnotations(
  type: string,
  value: unknown,
): { readonly type: string; readonly description?: string }[] {
  if (value === undefined || value === false) return [];
  return [typeof value === 'string' && value !== '' ? { type, description: value } : { type }];
}

/** The error with which Node wraps what a test threw. */
export const getWrapper = ({ details }: EventData): Readonly<Record<string, unknown>> =>
  isObject(details?.error) ? details.error : {};

export const getFailureType = (data: EventData): unknown => getWrapper(data)['failureType'];
