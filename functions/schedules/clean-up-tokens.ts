import { cleanUpTokens } from '#shared/credentials/clean-up-tokens.ts';
import { schedule } from '#shared/schedule.ts';

export const handler = schedule({
  name: 'cleanUpTokens',
  expression: 'cron(0 3 * * ? *)',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Marks dead the tokens whose owner left or whose organization was deactivated',
  timeoutSeconds: 300,
  retrySeconds: 3600,
  metrics: ['revoked'],
  handle: (services, run) => cleanUpTokens(services, run),
});
