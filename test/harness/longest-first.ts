/**
 * Starts the slowest test files first, so that none of them runs alone at the end. The other files start in the default
 * order of Vitest: the largest first, or by the results of an earlier run.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONGEST = [
  'webhooks/hostile-organization',
  'end-to-end/lost-events',
  'end-to-end/reporter',
  'infra/local/npm-start',
  'every-endpoint',
  'deployed-endpoints',
  'pages/every-page-in-chromium',
  'pages/markup',
  'end-to-end/refusals',
  'access/matrix',
  'end-to-end/rules',
  'client/command',
  'recording/network',
  'recording/deaths',
  'contract/generated',
  'recording/longest-texts',
  'end-to-end/context',
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
