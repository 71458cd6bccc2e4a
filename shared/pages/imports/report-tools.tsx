/** For each test tool, the line that writes a report, and the file or folder to send. Playwright, Vitest and Jest also record live. */
import type { Html } from '#shared/engine/html/html.ts';
import { Fact } from '#shared/pages/design/parts.tsx';

interface ReportTool {
  readonly name: string;
  readonly lines: readonly string[];
  readonly file: string;
}

/** `functions/README.md` has the same lines. */
export const REPORT_TOOLS: readonly ReportTool[] = [
  { name: '.NET', lines: ['dotnet test --logger trx', 'dotnet test -- --report-trx'], file: 'TestResults' },
  { name: 'Go', lines: ['go test -json ./... > go.jsonl', 'gotestsum --jsonfile go.jsonl'], file: 'go.jsonl' },
  { name: 'Maven', lines: ['mvn test'], file: "'**/target/surefire-reports/TEST-*.xml'" },
  { name: 'Gradle', lines: ['gradle test'], file: "'**/build/test-results/**/*.xml'" },
  { name: 'TestNG', lines: ['mvn test'], file: 'target/surefire-reports/testng-results.xml' },
  { name: 'pytest', lines: ['pytest --junitxml=report.xml'], file: 'report.xml' },
  { name: 'RSpec', lines: ['rspec --format json --out rspec.json'], file: 'rspec.json' },
  {
    name: 'Rust',
    lines: [
      'NEXTEST_EXPERIMENTAL_LIBTEST_JSON=1 cargo nextest run --no-fail-fast --message-format libtest-json-plus > nextest.jsonl',
    ],
    file: 'nextest.jsonl',
  },
  { name: 'Cucumber', lines: ['cucumber-js --format message:cucumber.ndjson'], file: 'cucumber.ndjson' },
  { name: 'behave', lines: ['behave -f json -o cucumber.json'], file: 'cucumber.json' },
  { name: 'Robot Framework', lines: ['robot tests'], file: 'output.xml' },
  { name: 'Allure, any language', lines: ['# any reporter of Allure 2 or 3'], file: 'allure-results' },
  { name: 'Jest', lines: ['jest --json --outputFile=jest.json'], file: 'jest.json' },
  { name: 'Vitest', lines: ['vitest run --reporter=json --outputFile.json=vitest.json'], file: 'vitest.json' },
  { name: 'mocha', lines: ['mocha --reporter json --reporter-option output=mocha.json'], file: 'mocha.json' },
  { name: 'Cypress', lines: ['cypress run --reporter mochawesome'], file: "'mochawesome-report/*.json'" },
  { name: 'Newman', lines: ['newman run shop.json -r json --reporter-json-export newman.json'], file: 'newman.json' },
  { name: 'Perl', lines: ['prove -v > prove.txt'], file: 'prove.txt' },
  { name: 'Bats', lines: ['bats --tap tests > bats.tap'], file: 'bats.tap' },
  { name: 'Dart, Flutter', lines: ['dart test --reporter json > dart.jsonl'], file: 'dart.jsonl' },
  {
    name: 'Xcode',
    lines: ['xcrun xcresulttool get test-results tests --path x.xcresult > xcode.json'],
    file: 'xcode.json',
  },
];

export const ReportTools = (): Html => (
  <dl class="facts">
    {REPORT_TOOLS.map(({ name, lines, file }) => (
      <Fact name={name}>
        {lines.map((line) => (
          <div>
            <code>{line}</code>
          </div>
        ))}
        <div class="soft">
          Send <code>{file}</code>
        </div>
      </Fact>
    ))}
  </dl>
);
