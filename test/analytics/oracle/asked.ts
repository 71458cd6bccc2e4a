/** Sends random analytics queries, and compares each response with the oracle. */
import { expect } from 'vitest';
import { deriveSignature, deriveSpecSignature } from '#shared/model/ids.ts';
import { type Client, query } from '#test/harness/client.ts';
import { errorTimeline, exploreErrors } from './explore-errors.ts';
import { exploreFlaky } from './explore-flaky.ts';
import { exploreSpecs } from './explore-specs.ts';
import { exploreTests } from './explore-tests.ts';
import { insights } from './insights.ts';
import { pageOf } from './order.ts';
import {
  type AskedQuestion,
  errorsParameters,
  filterParameters,
  periodOf,
  periodParameters,
  specsParameters,
  testsParameters,
} from './questions.ts';
import type { SentRun } from './sent.ts';

/** Lists that would fill at least this many pages are requested in pages of 50 rows instead. */
const PAGES = 3;

export interface Scope {
  readonly organizationId: string;
  readonly projectId: string;
}

export type Parameters = readonly (readonly [name: string, value: string])[];

/** Sends a query, and returns the `data` of the response. */
export type Ask = (about: AskedQuestion['about'], parameters: Parameters) => Promise<unknown>;

const PATHS = {
  tests: (projectId: string) => `/tests/${projectId}`,
  specs: (projectId: string) => `/spec-files/${projectId}`,
  errors: (projectId: string) => `/errors/${projectId}`,
  flaky: (projectId: string) => `/flaky/${projectId}`,
  insights: (projectId: string) => `/projects/${projectId}/insights`,
} as const;

export const throughHttp =
  ({ projectId, reader }: { readonly projectId: string; readonly reader: Client }): Ask =>
  async (about, parameters) => {
    const path = PATHS[about](projectId) + query(...parameters);
    const { status, body } = await reader.get(path);
    expect([status, path], JSON.stringify(body).slice(0, 300)).toEqual([200, path]);
    return body.data;
  };

/** Sends the query page by page, and expects the responses that the oracle computes. */
export async function expectAnswer(
  scope: Scope,
  ask: Ask,
  runs: readonly SentRun[],
  asked: AskedQuestion,
): Promise<void> {
  const period = periodOf(asked.ends, { times: runs.map(({ createdAt }) => createdAt), now: Date.now() });
  // Only insights can be filtered by environment.
  const filter = asked.about === 'insights' ? asked.filter : { ...asked.filter, environments: [] };
  const range = [...periodParameters(period), ...filterParameters(filter)];
  const common = asked.about === 'flaky' ? [] : range;
  if (asked.about === 'insights') {
    const parameters = [...common, ['resolution', asked.resolution] as const];
    const expected = insights(runs, { period, filter }, asked.resolution);
    expectData(await ask('insights', parameters), { results: expected }, parameters);
    return;
  }
  const { rows, own, more } = listOf(scope, runs, { ...asked, filter, period });
  const limit = rows.length / asked.limit < PAGES ? asked.limit : 50;
  for (let page = 0; page * limit <= rows.length; page += 1) {
    const paging = [
      ['limit', String(limit)],
      ['page', String(page)],
    ] as const;
    const parameters = [...common, ...own, ...paging];
    expectData(await ask(asked.about, parameters), { ...pageOf(rows, page, limit), ...more }, parameters);
  }
}

type Listed = Exclude<AskedQuestion, { readonly about: 'insights' }>;

interface ExpectedList {
  readonly rows: readonly object[];
  /** The query parameters that only this list has. */
  readonly own: Parameters;
  /** The properties of the response besides `list`, `total` and `nextPage`. */
  readonly more: object;
}

function listOf(
  scope: Scope,
  runs: readonly SentRun[],
  { period, filter, ...asked }: Listed & { readonly period: { readonly from: number; readonly to: number } },
): ExpectedList {
  switch (asked.about) {
    case 'tests': {
      const signature = (spec: string, title: readonly string[]) => deriveSignature({ ...scope, spec, title });
      const rows = exploreTests(runs, { period, filter, ...asked.more }, signature);
      return { rows, own: testsParameters(asked.more), more: {} };
    }
    case 'flaky': {
      const signature = (spec: string, title: readonly string[]) => deriveSignature({ ...scope, spec, title });
      const rows = exploreFlaky(runs, { now: Date.now(), states: asked.states }, signature);
      return { rows, own: asked.states.map((state) => ['state[]', state] as const), more: { isWhole: true } };
    }
    case 'specs': {
      const rows = exploreSpecs(runs, { period, filter, ...asked.more }, (spec) =>
        deriveSpecSignature({ ...scope, spec }),
      );
      return { rows, own: specsParameters(asked.more), more: {} };
    }
    case 'errors': {
      const { tagOperator, metric, topN } = asked;
      const question = { period, filter: { ...filter, tagOperator }, ...asked.more };
      const chart = [
        ['metric', metric],
        ['top_n', String(topN)],
        ['tags_logical_operator', tagOperator],
      ] as const;
      const timeline = errorTimeline(runs, question, metric, topN);
      return {
        rows: exploreErrors(runs, question),
        own: [...errorsParameters(asked.more), ...chart],
        more: { timeline },
      };
    }
  }
}

const expectData = (data: unknown, expected: object, parameters: Parameters): void =>
  expect(rounded(data), query(...parameters)).toMatchObject(rounded(expected));

const DECIMALS = 6;

/** Rounds numbers, because quotients may differ in the last digit. */
const rounded = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value ?? null), (_, one) =>
    typeof one === 'number' ? Number(one.toFixed(DECIMALS)) : one,
  );
