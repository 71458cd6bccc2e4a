/** What the steps of one pass over a project share. */

import { DAY_MILLISECONDS } from '#shared/engine/durations.ts';
import type { IssueAutomation } from '#shared/model/issues/issue-automation.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import type { TrackerServices } from '../open-integration.ts';
import type { PassConnections } from './connections.ts';
import type { IssueBook } from './issue-book.ts';

export interface Pass {
  readonly services: TrackerServices;
  readonly project: ProjectRecord;
  readonly settings: IssueAutomation;
  readonly issues: IssueBook;
  readonly connections: PassConnections;
  /** The signatures of the tests that a rule quarantines because of an issue. */
  readonly quarantined: Set<string>;
  /** Remembers a problem, which the settings page then shows. */
  readonly note: (message: string) => void;
}

export const subtractDays = (now: number, days: number): number => now - days * DAY_MILLISECONDS;
