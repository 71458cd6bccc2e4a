import type { AnalyticsScope } from '../read-model.ts';

/** An analytics query about one project. */
export interface Asked<Query> extends AnalyticsScope {
  readonly query: Query;
}
