/** Computes the cost of logs, and the requests per second that the concurrency limit allows. */
import type { CountedCosts, DeployedResources, PerTest } from './counted-costs.ts';
import { ASSUMED, PRICES } from './prices.ts';

/** API Gateway has the metrics Count, 4XXError, 5XXError, Latency and IntegrationLatency for each route. */
export const METRICS_PER_ROUTE = 5;

/** The cost of the logs of one test, in dollars. */
export function logDollars({ calls, invocations, logBytes }: PerTest, { accessLogBytes }: DeployedResources): number {
  const { platformLogBytes, logEnvelopeBytes } = ASSUMED;
  const bytes = calls * (accessLogBytes + logEnvelopeBytes) + logBytes + invocations * platformLogBytes;
  return (bytes / 1e9) * PRICES.logGigabyte;
}

/** Little's law: concurrency is the request rate times the duration. */
function perSecond({ calls, invocations, trips }: PerTest, concurrency: number): number {
  const { millisecondsPerInvocation, millisecondsPerTrip } = ASSUMED;
  const busy = (invocations * millisecondsPerInvocation + trips * millisecondsPerTrip) / calls;
  return Math.floor((concurrency * 1000) / busy);
}

export function concurrencyRemarks({ ways, prod }: CountedCosts): string {
  const { newAccount, usual } = ASSUMED.concurrency;
  const answered = (concurrency: number) => perSecond(ways.publishedQuick, concurrency).toLocaleString('en');
  return [
    `A new account runs ${newAccount} functions at once, which answer about ${answered(newAccount)} requests of published reporters a second while warm. Others run ${usual.toLocaleString('en')}, which answer ${answered(usual)}.`,
    `Queue consumers may use ${prod.consumersAtOnce} of them: \`-c consumerConcurrency=2\` leaves more for requests in a new account.`,
  ].join('\n');
}
