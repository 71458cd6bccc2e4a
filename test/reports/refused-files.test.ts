import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES } from '#shared/model/runs/report-format.ts';
import { parseBytes } from './samples.ts';

const ACCEPTED = `Accepted formats: ${FORMAT_NAMES}, and a zip of several reports. Each may be compressed with gzip`;

describe('A file that is not a report', () => {
  test.each([
    ['a text', 'all tests passed'],
    ['unknown XML', '<?xml version="1.0"?><project><testsuite/></project>'],
    ['unknown JSON', '{"name": "shop", "version": "1.0.0"}'],
    ['a JSON list', '[1, 2, 3]'],
    ['bytes', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3])],
  ])('is refused, and the error lists the accepted formats: %s', async (_, content) => {
    await expect(parseBytes(content, { name: 'upload' })).rejects.toMatchObject({
      statusCode: 400,
      message: `The file "upload" is not a known test report. ${ACCEPTED}`,
      details: { code: 'UNKNOWN_REPORT' },
    });
  });
});

describe('A report that ends before anything tells its format', () => {
  test.each([
    ['an opening bracket', '<'],
    ['an opening brace', '{'],
  ])('It is refused as a cut report, because a tool that crashed may have left it: %s', async (_, content) => {
    await expect(parseBytes(content, { name: 'upload' })).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('The file "upload" ends before its first test'),
      details: { code: 'UNREADABLE_REPORT' },
    });
  });
});

describe('A report in an unsupported format', () => {
  test.each([
    ['<testrun name="CartTest" project="shop"/>', "Eclipse's export of a test run", 'Maven, Gradle and Ant'],
    ['<test-suite type="Assembly"/>', 'a part of an NUnit report', 'Send the whole file'],
    ['<ns2:test-suite xmlns:ns2="urn:model.allure"/>', 'a result of Allure 1', 'Update the Allure reporter'],
    ['<assembly name="a.dll"><class name="A"/></assembly>', 'a report of xUnit.net v1', 'of a v2 or v3 runner'],
    ['<ns:events xmlns:ns="urn:open"/>', 'an Open Test Reporting file', 'Send the JUnit files `TEST-*.xml`'],
    ['<Site BuildName="x"><Testing/></Site>', "CTest's Test.xml", '`ctest --output-junit junit.xml`'],
    ['<testExecutions version="1"/>', "SonarQube's generic test report", 'from which it was converted'],
    ['<result plugin="junit@1"><suites/></result>', "Jenkins' copy of a JUnit report", 'JUnit XML files'],
    ['<coverage line-rate="1"/>', 'a coverage report', 'Send the report of the test results'],
    ['<checkstyle version="4"/>', 'a lint report', 'Send the report of the test results'],
    ['<!DOCTYPE html><html lang="en"></html>', 'an HTML page', 'JUnit XML or JSON report'],
    ['<html><body/></html>', 'an HTML page', 'JUnit XML or JSON report'],
    ['{ "type": "suite", "event": "started", "test_count": 1 }', 'the JSON output of libtest', 'cargo nextest run'],
    ['{"root_group":{},"metrics":{}}', 'a k6 summary', '`jUnit(data)`'],
    ['{"id":{"started":{}},"children":[]}', 'a stream of Bazel build events', '`bazel-testlogs/**/test.xml`'],
    ['["start",{"total":3}]\n["pass",{}]', "mocha's json-stream", '`--reporter json`'],
    ['[{"filePath":"a.js","messages":[]}]', 'a lint report of ESLint', 'Send the report of the test results'],
    [
      '{"_type":{"_name":"ActionTestPlanRunSummaries"},"_name":"x"}',
      "an object of Xcode's result bundle",
      'xcresulttool',
    ],
    ['t/cart.t .. ok\nAll tests successful.', 'the output of `prove` without `-v`', '`prove -v`'],
    ["##teamcity[testStarted name='a']", 'a log with messages for TeamCity', 'Write JUnit XML'],
  ])(
    'is refused, and the error names the format and suggests what to send instead: %s',
    async (content, what, advice) => {
      await expect(parseBytes(content, { name: 'report' })).rejects.toMatchObject({
        statusCode: 400,
        message: expect.stringMatching(new RegExp(`is ${escaped(what)}, which is not accepted. .*${escaped(advice)}`)),
      });
    },
  );
});

const escaped = (text: string): string => text.replaceAll(/[()`.*]/g, '\\$&');

describe('A format that the sender names', () => {
  test('is used even if the format of the file cannot be detected', async () => {
    const file = await parseBytes('<results><testcase name="a"/></results>', { format: 'junit' });
    expect(file.instances.map(({ tests }) => tests.map(({ title }) => title))).toEqual([[['a']]]);
  });

  test('A file is refused if it has nothing in common with the format that the sender names', async () => {
    await expect(parseBytes('all passed', { format: 'junit' })).rejects.toThrow('The file has no XML element.');
  });

  test.each(['ctrf', 'playwright-json', 'playwright-blob'] as const)(
    'A JUnit file is refused if the sender names the format %s',
    async (format) => {
      await expect(parseBytes('<testsuite/>', { name: 'a.xml', format })).rejects.toMatchObject({
        statusCode: 400,
        details: { code: 'UNREADABLE_REPORT' },
      });
    },
  );
});
