/** Starts the longest test files first, so that no long file runs alone at the end. The others start by size, the largest first. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONGEST = [
  'end-to-end/lost-events',
  'webhooks/hostile-organization',
  'recording/longest-texts',
  'access/matrix',
  'every-endpoint',
  'contract/generated',
  'end-to-end/refusals',
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
