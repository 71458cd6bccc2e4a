/** What an environment with alarms adds to a month, and how far an account's limit of concurrent functions reaches. */
import { ASSUMED, PRICES } from './prices.ts';
import type { Table } from './report.ts';
import type { Standing } from './standing.ts';

/** Count, 4XXError, 5XXError, Latency, IntegrationLatency; API Gateway has a cache's only where there is a cache. */
const METRICS_PER_ROUTE = 5;

export interface Calls {
  readonly calls: number;
  readonly invocations: number;
  readonly trips: number;
  /** Of the functions' own lines. */
  readonly logBytes: number;
}

export function prodTable({ alarms, alarmMetrics, routes }: Standing): Table {
  const { alarmMetricMonth, customMetricMonth, dashboardMonth } = PRICES;
  const perRoute = routes * METRICS_PER_ROUTE;
  return [
    ['A month of prod, beside requests', 'Dollars', 'Why'],
    [
      'Alarms',
      dollars(alarmMetrics * alarmMetricMonth),
      `${alarms} alarms on ${alarmMetrics} metrics, ${dollars(alarmMetricMonth)} for each metric`,
    ],
    [
      'Metrics per route, at most',
      dollars(perRoute * customMetricMonth),
      `${routes} routes with ${METRICS_PER_ROUTE} metrics, ${dollars(customMetricMonth)} for each that had a value all month`,
    ],
    ['Dashboard, with -c dashboard=true', dollars(dashboardMonth), 'The first three of an account cost nothing'],
  ];
}

/** Of one test. */
export function logDollars({ calls, invocations, logBytes }: Calls, { accessLogBytes }: Standing): number {
  const { platformLogBytes, logEnvelopeBytes } = ASSUMED;
  const bytes = calls * (accessLogBytes + logEnvelopeBytes) + logBytes + invocations * platformLogBytes;
  return (bytes / 1e9) * PRICES.logGigabyte;
}

/** By Little's law: what runs at once is how often it begins times how long it takes. */
export function concurrencyRemarks({ calls, invocations, trips }: Calls, { consumersAtOnce }: Standing): string {
  const { concurrency, millisecondsPerInvocation, millisecondsPerTrip } = ASSUMED;
  const busy = (invocations * millisecondsPerInvocation + trips * millisecondsPerTrip) / calls;
  const perSecond = (limit: number) => Math.floor((limit * 1000) / busy).toLocaleString('en');
  const { newAccount, usual } = concurrency;
  return [
    `A new account may run ${newAccount} functions at once, others ${usual.toLocaleString('en')}.`,
    `A streaming reporter's request keeps one busy for ${busy.toFixed(0)} ms, its authorizer included:`,
    `${newAccount} at once answer ${perSecond(newAccount)} requests a second while warm, ${usual} answer ${perSecond(usual)}.`,
    `Consumers may take ${consumersAtOnce} of them: \`-c consumerConcurrency=2\` leaves more to requests in a new account.`,
  ].join(' ');
}

const dollars = (amount: number): string => `$${amount.toFixed(2)}`;
