/** Dialects in the order in which they are tried. The first match wins. */
import type { Dialect } from './dialect.ts';
import { GENERIC } from './generic.ts';
import { JAVASCRIPT } from './javascript.ts';
import { JVM } from './jvm.ts';
import { NATIVE } from './native.ts';
import { PLAYWRIGHT_DIALECT } from './playwright.ts';
import { PYTHON } from './python.ts';

export const DIALECTS: readonly Dialect[] = [
  JVM.SUREFIRE,
  NATIVE.GOTESTSUM,
  NATIVE.NEXTEST,
  NATIVE.PHPUNIT,
  NATIVE.GOOGLETEST,
  NATIVE.RSPEC,
  NATIVE.CTEST,
  NATIVE.CATCH2,
  PYTHON.BEHAVE,
  PLAYWRIGHT_DIALECT,
  NATIVE.BATS,
  PYTHON.PYTEST,
  PYTHON.XMLRUNNER,
  JAVASCRIPT.NODE_TEST,
  JAVASCRIPT.MOCHA_XUNIT,
  JAVASCRIPT.MOCHA_JUNIT,
  JVM.GRADLE,
  JAVASCRIPT.JEST,
  JAVASCRIPT.VITEST,
  PYTHON.ROBOT,
  GENERIC,
];
