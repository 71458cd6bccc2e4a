/** The tests of the access rules, which run once per mutant (`npm run test:mutation`). */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('../../..', import.meta.url).pathname,
  test: {
    include: [
      'test/access/{issuer,issuer-faults,last-use,matrix,owners,personal-tokens,may,record-key,request-credential,token-inputs}.test.ts',
      'test/access/{odd-claims,refusals-of-actors}.test.ts',
      'test/mcp/tokens.test.ts',
      'test/oauth/consent.test.ts',
      'test/organizations/allowed-actions.test.ts',
      'test/pages/{sign-in,tokens}.test.ts',
      'test/engine/http/pagination-lists.test.ts',
      'test/refusals.test.ts',
      'test/engine/http/cursor.test.ts',
      'test/engine/http/pagination.test.ts',
    ],
    globalSetup: ['test/harness/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
