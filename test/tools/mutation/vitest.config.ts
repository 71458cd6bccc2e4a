/**
 * Configures the tests that `npm run test:mutation` runs for each mutant of the access rules. Stryker stops the tests
 * of a mutant at the first failure.
 */

import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The test files, sorted by duration. The fastest ones come first, so that most mutants are killed within a second. */
const FILES = [
  'access/may',
  'access/request-credential',
  'engine/http/cursor',
  'access/token-inputs',
  'access/last-use',
  'access/record-key',
  'access/unknown-route',
  'access/odd-claims',
  'access/issuer',
  'access/issuer-faults',
  'access/personal-tokens',
  'access/refusals-of-actors',
  'engine/http/pagination',
  'mcp/tokens',
  'access/owners',
  'oauth/keys',
  'refusals',
  'access/matrix',
  'organizations/allowed-actions',
  'pages/tokens',
  'pages/sign-in',
  'oauth/consent',
  'engine/http/pagination-lists',
].map((name) => `test/${name}.test.ts`);

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => FILES.findIndex((name) => moduleId.endsWith(`/${name}`));
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  root: new URL('../../..', import.meta.url).pathname,
  test: {
    include: FILES,
    sequence: { sequencer: InOrder },
    globalSetup: ['test/harness/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
