/** The table of report formats. A new format is a file, a row, and its samples. */

import type { ReportFormat } from '#shared/model/runs/report-format.ts';
import { CTRF } from '#shared/reports/ctrf/parse-ctrf.ts';
import type { Format } from '#shared/reports/format.ts';
import { ALLURE } from '#shared/reports/formats/allure-wire.ts';
import { CUCUMBER_JSON } from '#shared/reports/formats/cucumber-json-wire.ts';
import { CUCUMBER_MESSAGES } from '#shared/reports/formats/cucumber-messages-wire.ts';
import { CYPRESS_JSON } from '#shared/reports/formats/cypress-json-wire.ts';
import { DART_JSON } from '#shared/reports/formats/dart-json-wire.ts';
import { GO_TEST } from '#shared/reports/formats/go-test-wire.ts';
import { JEST_JSON, VITEST_JSON } from '#shared/reports/formats/jest-json-wire.ts';
import { MOCHA_JSON } from '#shared/reports/formats/mocha-json-wire.ts';
import { MOCHAWESOME } from '#shared/reports/formats/mochawesome-wire.ts';
import { NEWMAN_JSON } from '#shared/reports/formats/newman-json-wire.ts';
import { NEXTEST_JSON } from '#shared/reports/formats/nextest-json-wire.ts';
import { NUNIT2, NUNIT3 } from '#shared/reports/formats/nunit.ts';
import { PYTEST_JSON_REPORT } from '#shared/reports/formats/pytest-json-report-wire.ts';
import { PYTEST_REPORTLOG } from '#shared/reports/formats/pytest-reportlog-wire.ts';
import { ROBOT_JSON } from '#shared/reports/formats/robot-json-wire.ts';
import { ROBOT_XML } from '#shared/reports/formats/robot-xml.ts';
import { RSPEC_JSON } from '#shared/reports/formats/rspec-json-wire.ts';
import { TAP } from '#shared/reports/formats/tap.ts';
import { TESTNG } from '#shared/reports/formats/testng.ts';
import { TRX } from '#shared/reports/formats/trx.ts';
import { XCRESULT_JSON } from '#shared/reports/formats/xcresult-json-wire.ts';
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
  PYTEST_JSON_REPORT,
  TESTNG,
  DART_JSON,
  XCRESULT_JSON,
  PYTEST_REPORTLOG,
  NEWMAN_JSON,
  CUCUMBER_MESSAGES,
  NEXTEST_JSON,
];

export const recognizeFormat = (head: Head): Format | undefined =>
  FORMAT_TABLE.find(({ recognizes }) => recognizes(head));

export function findFormat(name: ReportFormat): Format {
  const row = FORMAT_TABLE.find(({ format }) => format === name);
  if (!row) throw new Error(`The table of formats has no row for ${name}`);
  return row;
}
