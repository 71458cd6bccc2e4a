import { describe, expect, test } from 'vitest';
import { parseBytes } from './samples.ts';

const ACCEPTED =
  'Accepted formats: JUnit XML, CTRF, Playwright JSON, Playwright blob, and a zip of several reports. Each may be compressed with gzip';

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
    ['<testng-results skipped="0"/>', 'a TestNG report', 'that TestNG or Maven Surefire writes'],
    ['<?xml version="1.0"?><test-run id="2"/>', 'an NUnit report', 'JunitXml.TestLogger'],
    ['<assemblies timestamp="x"/>', 'an xUnit.net report', 'JunitXml.TestLogger'],
    ['\ufeff<TestRun id="1" xmlns="x"/>', 'a Visual Studio report (trx)', 'JunitXml.TestLogger'],
    ['<testrun name="CartTest" project="shop"/>', "Eclipse's export of a test run", 'Maven, Gradle or Ant'],
    ['<test-suite type="Assembly"/>', 'an NUnit report', 'JunitXml.TestLogger'],
    ['<ns2:test-suite xmlns:ns2="urn:model.allure"/>', 'a result of Allure', 'JUnit XML or CTRF'],
    ['<Site BuildName="x"><Testing/></Site>', "CTest's Test.xml", '`ctest --output-junit junit.xml`'],
    ['<testExecutions version="1"/>', "SonarQube's generic test report", 'from which it was converted'],
    ['<result plugin="junit@1"><suites/></result>', "Jenkins' copy of a JUnit report", 'JUnit XML files'],
    [
      '{"Time":"2026","Action":"start","Package":"shop"}\n{"Action":"run"}',
      'the output of `go test -json`',
      'gotestsum',
    ],
    ['[{"uri":"a.feature","keyword":"Feature","elements":[]}]', "Cucumber's JSON report", '--format junit'],
    ['{"meta":{"protocolVersion":"22.0.0"}}\n{"source":{}}', "Cucumber's messages", '--format junit'],
    [
      '{"protocolVersion":"0.1.1","runnerVersion":"1.24.0"}',
      'the output of `dart test --reporter json`',
      'junitreport',
    ],
    ['{"uuid":"1","historyId":"2","labels":[]}', 'a result of Allure', 'JUnit XML or CTRF'],
    ['{"version":"3.12.0","examples":[]}', "RSpec's JSON report", 'rspec_junit_formatter'],
    ['{"created":1,"duration":2,"exitcode":0}', 'the report of pytest-json-report', '`--junit-xml=junit.xml`'],
    ['{"devices":[],"testNodes":[]}', "Xcode's test results", 'xcresultparser'],
    ['TAP version 14\n1..2\nok 1 - a', 'TAP', '`tap --reporter=junit`'],
    ['1..2\nok 1 - a', 'TAP', '`tap --reporter=junit`'],
    ['<robot generator="Robot 7"/>', "Robot Framework's output.xml", '`--xunit`'],
    ['<coverage line-rate="1"/>', 'a coverage report', 'Send the report of the test results'],
    ['<!DOCTYPE html><html lang="en"></html>', 'an HTML page', 'JUnit XML or JSON report'],
    ['<html><body/></html>', 'an HTML page', 'JUnit XML or JSON report'],
    ['{"numTotalTests": 2, "testResults": []}', "Jest's or Vitest's JSON report", 'jest-junit'],
    ['{"stats": {"suites": 1, "passes": 2}, "tests": []}', "mocha's JSON report", 'mocha-junit-reporter'],
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

const escaped = (text: string): string => text.replaceAll(/[()`.]/g, '\\$&');

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
