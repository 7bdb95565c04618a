"""Amounts as people type them, read by the Python driver and by the JavaScript one.

    python3 -m unittest discover -s Tests/Drivers
"""

import json
import os
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
DRIVERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Contracts/drivers")
sys.path.insert(0, os.path.join(DRIVERS, "python"))

import typed

READ = [
    ("19,99", "EUR", "de_DE", "19.99"), ("1.500", "EUR", "de_DE", "1500.00"), ("1.234.567,8", "TRY", "tr_TR", "1234567.80"),
    ("3,250", "BHD", "de_DE", "3.250"), ("1.280", "JPY", "de_DE", "1280"), ("1,2345", "CLF", "de_DE", "1.2345"),
    ("29\u202f000", "EUR", "fr_FR", "29000.00"), ("1\u00a0234,56", "EUR", "fr_FR", "1234.56"), (" 4 350,10 ", "EUR", "fr_FR", "4350.10"),
    ("\u0661\u0669\u066b\u0669\u0669", "EGP", "ar_EG", "19.99"), ("\u0661\u066c\u0662\u0663\u0664\u066b\u0665\u0666", "EGP", "ar_EG", "1234.56"),
    ("\u200f\u0664\u066b\u0663\u0665", "EGP", "ar_EG", "4.35"), ("\u06f1\u06f9\u066b\u06f9\u06f9", "IRR", "fa_IR", "19.99"),
    ("12,34,567.89", "INR", "hi_IN", "1234567.89"), ("\u0967\u096f.\u096f\u096f", "INR", "hi_IN", "19.99"),
    ("1,500", "GBP", "en_GB", "1500.00"), ("8.20", "GBP", None, "8.20"), ("1’234.50", "CHF", "de_CH", "1234.50"), ("1,5", "ZAR", "en_ZA", "1.50"),
]
REJECTED = [
    ("15,00", "GBP", "en_GB"), ("1,500", "EUR", "de_DE"), ("1.5", "EUR", "de_DE"), ("1,234567", "GBP", "en_GB"),
    ("1.", "GBP", "en_GB"), (".5", "GBP", "en_GB"), ("", "GBP", "en_GB"), ("-1", "GBP", "en_GB"), ("1e3", "GBP", "en_GB"), ("1,2,3", "EUR", "de_DE"),
]


class TypedAmountTests(unittest.TestCase):
    def test_python_reads_each_in_the_way_of_its_locale(self):
        for text, currency, locale, amount in READ:
            self.assertEqual(typed.major(text, currency, locale), amount, text)

    def test_python_refuses_what_has_two_readings(self):
        for text, currency, locale in REJECTED:
            with self.assertRaises(ValueError, msg=text):
                typed.major(text, currency, locale)

    @unittest.skipUnless(shutil.which("node"), "no node on this machine")
    def test_javascript_reads_and_refuses_the_same(self):
        program = """
            import { readFileSync } from "node:fs";
            import { pathToFileURL } from "node:url";
            const { amountTyped } = await import(pathToFileURL(process.argv[1]));
            const read = ([text, currency, locale]) => {
              try { return amountTyped(text, currency, locale ?? undefined); } catch (error) { return error.name; }
            };
            console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(read)));
        """
        asked = json.dumps([row[:3] for row in READ + REJECTED])
        node = ["node", "--input-type=module", "-e", program, os.path.join(DRIVERS, "javascript/typed.mjs")]
        answer = subprocess.run(node, input=asked, capture_output=True, text=True, timeout=300, check=True)

        self.assertEqual(json.loads(answer.stdout), [row[3] for row in READ] + ["rejected"] * len(REJECTED))
