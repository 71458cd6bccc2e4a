/**
 * Starts the slowest test files first, so that none of them runs alone at the end. The other files start in the default
 * order of Vitest: the largest first, or by the results of an earlier run.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONGEST = [
  'end-to-end/lost-events',
  'end-to-end/reporter',
  'pages/every-page-in-chromium',
  'end-to-end/rules',
  'infra/local/npm-start',
  'client/command',
  'pages/markup',
  'notifications/commit-status',
  'notifications/slow-receivers',
  'issues/interrupted',
  'every-endpoint',
  'notifications/pull-request-comment',
  'webhooks/through-the-queues',
  'deployed-endpoints',
  'end-to-end/refusals',
  'infra/local/survival',
  'infra/cli/organization-life',
  'lifecycle/remove-projects',
  'end-to-end/orchestration',
  'client/reporter-faults',
  'end-to-end/context',
  'notifications/hostile-answers',
  'access/matrix',
  'end-to-end/ended-runs',
  'pages/imports-in-chromium',
  'infra/construct',
];

const place = ({ moduleId }: TestSpecification): number => {
  const found = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return found === -1 ? LONGEST.length : found;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}
