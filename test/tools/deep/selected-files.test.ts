import { expect, test } from 'vitest';
import deep from './vitest.config.ts';

test('`npm run test:deep` includes test files that try more cases there, directly or through a helper, and leaves out a file with fixed cases', () => {
  const { include } = deep.test;
  expect(include).toContain('test/lifecycle/model.test.ts');
  for (const file of ['interruptions/events', 'interruptions/schedules', 'issues/automation', 'pages/styleguide'])
    expect(include).toContain(`test/${file}.test.ts`);
  expect(include).not.toContain('test/badges/badges.test.ts');
});
