/**
 * Computes the monthly cost of alarms, metrics and the dashboard, the cost of logs, and the requests per second that
 * the concurrency limit allows.
 */

import type { DeployedResources } from './deployed-resources.ts';
import { ASSUMED, PRICES } from './prices.ts';
import type { Table } from './report.ts';

/** API Gateway has the metrics Count, 4XXError, 5XXError, Latency and IntegrationLatency for each route. */
const METRICS_PER_ROUTE = 5;

export interface Calls {
  readonly calls: number;
  readonly invocations: number;
  readonly trips: number;
  /** Bytes logged by the functions, without the lines that Lambda itself logs. */
  readonly logBytes: number;
}

export function prodTable({ alarms, alarmMetrics, routes }: DeployedResources): Table {
  const { alarmMetricMonth, customMetricMonth, dashboardMonth } = PRICES;
  const perRoute = routes * METRICS_PER_ROUTE;
  return [
    ['Monthly cost of prod besides requests', 'Dollars', 'Calculation'],
    [
      'Alarms',
      dollars(alarmMetrics * alarmMetricMonth),
      `${alarms} alarms on ${alarmMetrics} metrics, ${dollars(alarmMetricMonth)} for each metric`,
    ],
    [
      'Metrics per route, at most, with -c metricsPerRoute=true',
      dollars(perRoute * customMetricMonth),
      `${routes} routes with ${METRICS_PER_ROUTE} metrics, ${dollars(customMetricMonth)} for each that has values all month`,
    ],
    ['Dashboard, with -c dashboard=true', dollars(dashboardMonth), 'The first three of an account are free'],
  ];
}

/** The cost of the logs of one test, in dollars. */
export function logDollars({ calls, invocations, logBytes }: Calls, { accessLogBytes }: DeployedResources): number {
  const { platformLogBytes, logEnvelopeBytes } = ASSUMED;
  const bytes = calls * (accessLogBytes + logEnvelopeBytes) + logBytes + invocations * platformLogBytes;
  return (bytes / 1e9) * PRICES.logGigabyte;
}

/** Little's law: concurrency is the request rate times the duration. */
export function concurrencyRemarks(
  { calls, invocations, trips }: Calls,
  { consumersAtOnce }: DeployedResources,
): string {
  const { concurrency, millisecondsPerInvocation, millisecondsPerTrip } = ASSUMED;
  const busy = (invocations * millisecondsPerInvocation + trips * millisecondsPerTrip) / calls;
  const perSecond = (limit: number) => Math.floor((limit * 1000) / busy).toLocaleString('en');
  const { newAccount, usual } = concurrency;
  return [
    `A new account may run ${newAccount} functions concurrently, others ${usual.toLocaleString('en')}.`,
    `A streaming reporter's request takes ${busy.toFixed(0)} ms of function time, with its authorizer:`,
    `${newAccount} warm functions answer ${perSecond(newAccount)} requests a second, ${usual} answer ${perSecond(usual)}.`,
    `Queue consumers may use ${consumersAtOnce} of them: \`-c consumerConcurrency=2\` leaves more for requests in a new account.`,
  ].join(' ');
}

const dollars = (amount: number): string => `$${amount.toFixed(2)}`;
