/** The table of report formats. A new format is a file, a row, and its samples. */

import type { ReportFormat } from '#shared/model/runs/report-format.ts';
import { CTRF } from '#shared/reports/ctrf/parse-ctrf.ts';
import type { Format } from '#shared/reports/format.ts';
import { ALLURE } from '#shared/reports/formats/allure.ts';
import { CUCUMBER_JSON } from '#shared/reports/formats/cucumber-json.ts';
import { CYPRESS_JSON } from '#shared/reports/formats/cypress-json.ts';
import { GO_TEST } from '#shared/reports/formats/go-test.ts';
import { JEST_JSON, VITEST_JSON } from '#shared/reports/formats/jest-json.ts';
import { MOCHA_JSON } from '#shared/reports/formats/mocha-json.ts';
import { MOCHAWESOME } from '#shared/reports/formats/mochawesome.ts';
import { NUNIT2, NUNIT3 } from '#shared/reports/formats/nunit.ts';
import { ROBOT_JSON, ROBOT_XML } from '#shared/reports/formats/robot.ts';
import { RSPEC_JSON } from '#shared/reports/formats/rspec-json.ts';
import { TAP } from '#shared/reports/formats/tap.ts';
import { TRX } from '#shared/reports/formats/trx.ts';
import { XUNIT } from '#shared/reports/formats/xunit.ts';
import type { Head } from '#shared/reports/head.ts';
import { JUNIT } from '#shared/reports/junit/parse-junit.ts';
import { PLAYWRIGHT_BLOB } from '#shared/reports/playwright/parse-blob.ts';
import { PLAYWRIGHT_JSON } from '#shared/reports/playwright/parse-playwright-json.ts';

export const FORMAT_TABLE: readonly Format[] = [
  JUNIT,
  CTRF,
  PLAYWRIGHT_JSON,
  PLAYWRIGHT_BLOB,
  TRX,
  GO_TEST,
  NUNIT3,
  NUNIT2,
  XUNIT,
  JEST_JSON,
  VITEST_JSON,
  MOCHA_JSON,
  MOCHAWESOME,
  CYPRESS_JSON,
  RSPEC_JSON,
  TAP,
  ROBOT_XML,
  ROBOT_JSON,
  CUCUMBER_JSON,
  ALLURE,
];

export const recognizeFormat = (head: Head): Format | undefined =>
  FORMAT_TABLE.find(({ recognizes }) => recognizes(head));

export function findFormat(name: ReportFormat): Format {
  const found = FORMAT_TABLE.find(({ format }) => format === name);
  if (!found) throw new Error(`The table of formats has no row for ${name}`);
  return found;
}
