import { expect, test } from 'vitest';
import deep from './vitest.config.ts';

test('`npm run test:deep` runs only the test files that try more cases than in `npm test`, including those whose cases a helper chooses', () => {
  const { include } = deep.test;
  expect(include).toContain('test/lifecycle/model.test.ts');
  for (const file of ['interruptions/events', 'interruptions/schedules', 'issues/automation', 'pages/styleguide'])
    expect(include).toContain(`test/${file}.test.ts`);
  expect(include).not.toContain('test/badges/badges.test.ts');
});
