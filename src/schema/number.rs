//! §5.2 Numbers of the schema checker: exact, without floating point (D19).
//! Law: a number is the decimal that its JSON text says; `1`, `1.0` and `1e0` are one number.

use std::cmp::Ordering;
use std::fmt::{self, Write as _};

use serde_json::Number;

/// More digits than this are cut. A double has at most 17, a 64-bit integer 20; only a build of serde_json with
/// `arbitrary_precision` can hold more.
const MAX_DIGITS: u32 = 38;

/// A number in its one normal form: an integer wherever it fits, so that equal numbers have equal forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Num {
    Int(i128),
    /// A fraction, or an integer too large for `Int`.
    Decimal(Decimal),
}

/// `digits` times ten to the `power`; the last digit is not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Decimal {
    negative: bool,
    digits: u128,
    power: i64,
}

impl Num {
    pub(super) fn of(number: &Number) -> Num {
        if let Some(int) = number.as_i64() {
            return Num::Int(i128::from(int));
        }
        if let Some(int) = number.as_u64() {
            return Num::Int(i128::from(int));
        }
        let mut reader = Reader::default();
        // The reader never fails: it is a `fmt::Write` so that the text needs no buffer.
        if write!(reader, "{number}").is_err() {
            return Num::Int(0);
        }
        reader.number()
    }

    /// Whether this is an integer, however it was written.
    pub(super) fn is_integer(self) -> bool {
        match self {
            Num::Int(_) => true,
            Num::Decimal(decimal) => decimal.power >= 0,
        }
    }

    pub(super) fn is_positive(self) -> bool {
        match self {
            Num::Int(int) => int > 0,
            Num::Decimal(decimal) => !decimal.negative,
        }
    }

    /// As a count of something: `None` unless it is an integer of at least 0; a huge one becomes `u64::MAX`.
    pub(super) fn as_count(self) -> Option<u64> {
        match self {
            Num::Int(int) if int >= 0 => Some(u64::try_from(int).unwrap_or(u64::MAX)),
            Num::Decimal(decimal) if decimal.power >= 0 && !decimal.negative => Some(u64::MAX),
            Num::Int(_) | Num::Decimal(_) => None,
        }
    }

    /// Whether this is an integer times `divisor`, which is positive.
    pub(super) fn is_multiple_of(self, divisor: Num) -> bool {
        if let (Num::Int(left), Num::Int(right)) = (self, divisor) {
            return left.checked_rem(right) == Some(0);
        }
        let (left, right) = (self.decimal(), divisor.decimal());
        if left.digits == 0 || right.digits == 0 {
            return left.digits == 0;
        }
        let shift = left.power.saturating_sub(right.power);
        if shift >= 0 {
            let scale = power_of_ten(shift.unsigned_abs(), right.digits);
            return multiply(left.digits, scale, right.digits) == 0;
        }
        // The divisor has trailing zeros that the value would need too: it is larger than the value if they do not fit.
        let scale = u32::try_from(shift.unsigned_abs()).ok().and_then(|zeros| 10_u128.checked_pow(zeros));
        let whole = scale.and_then(|scale| right.digits.checked_mul(scale));
        whole.is_some_and(|whole| left.digits.checked_rem(whole) == Some(0))
    }

    fn decimal(self) -> Decimal {
        match self {
            Num::Decimal(decimal) => decimal,
            Num::Int(int) => Decimal { negative: int < 0, digits: int.unsigned_abs(), power: 0 }.normal(),
        }
    }
}

impl PartialOrd for Num {
    fn partial_cmp(&self, other: &Num) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Num {
    fn cmp(&self, other: &Num) -> Ordering {
        match (self, other) {
            (Num::Int(left), Num::Int(right)) => left.cmp(right),
            _ => self.decimal().order(&other.decimal()),
        }
    }
}

impl Decimal {
    fn normal(mut self) -> Decimal {
        while self.digits != 0 && self.digits % 10 == 0 {
            self.digits /= 10;
            self.power = self.power.saturating_add(1);
        }
        self
    }

    fn sign(&self) -> i8 {
        match (self.digits, self.negative) {
            (0, _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        }
    }

    fn order(&self, other: &Decimal) -> Ordering {
        let signs = self.sign().cmp(&other.sign());
        if signs != Ordering::Equal || self.sign() == 0 {
            return signs;
        }
        let sizes = self.size().cmp(&other.size()).then_with(|| self.aligned().cmp(&other.aligned()));
        if self.negative { sizes.reverse() } else { sizes }
    }

    /// The power of ten above the first digit.
    fn size(&self) -> i64 {
        let count = self.digits.checked_ilog10().map_or(0, |log| i64::from(log).saturating_add(1));
        self.power.saturating_add(count)
    }

    /// The digits with zeros appended to the full length, so that two of the same size can be compared.
    fn aligned(&self) -> u128 {
        let count = self.digits.checked_ilog10().map_or(0, |log| log.saturating_add(1));
        let zeros = MAX_DIGITS.saturating_sub(count);
        self.digits.saturating_mul(10_u128.saturating_pow(zeros))
    }
}

/// `left * right` modulo `modulus`, by doubling; all are below 10^38, so that no sum overflows.
fn multiply(left: u128, right: u128, modulus: u128) -> u128 {
    let (mut sum, mut addend, mut rest) = (0_u128, left.checked_rem(modulus).unwrap_or(0), right);
    while rest != 0 {
        if rest & 1 == 1 {
            sum = sum.saturating_add(addend).checked_rem(modulus).unwrap_or(0);
        }
        addend = addend.saturating_add(addend).checked_rem(modulus).unwrap_or(0);
        rest >>= 1;
    }
    sum
}

/// Ten to the `power` modulo `modulus`, by squaring.
fn power_of_ten(power: u64, modulus: u128) -> u128 {
    let (mut result, mut base, mut rest) = (1_u128, 10_u128, power);
    while rest != 0 {
        if rest & 1 == 1 {
            result = multiply(result, base, modulus);
        }
        base = multiply(base, base, modulus);
        rest >>= 1;
    }
    result.checked_rem(modulus).unwrap_or(0)
}

/// Reads the text of a JSON number as it is written out.
#[derive(Default)]
struct Reader {
    negative: bool,
    digits: u128,
    count: u32,
    power: i64,
    fraction: bool,
    exponent: Option<(bool, i64)>,
}

impl Reader {
    fn digit(&mut self, digit: u32) {
        if let Some((_, exponent)) = &mut self.exponent {
            *exponent = exponent.saturating_mul(10).saturating_add(i64::from(digit));
            return;
        }
        if self.fraction {
            self.power = self.power.saturating_sub(1);
        }
        if self.count < MAX_DIGITS {
            self.digits = self.digits.saturating_mul(10).saturating_add(u128::from(digit));
            self.count = self.count.saturating_add(u32::from(self.digits != 0));
        } else {
            self.power = self.power.saturating_add(1);
        }
    }

    fn number(self) -> Num {
        let exponent = self.exponent.map_or(0, |(negative, size)| if negative { -size } else { size });
        let power = self.power.saturating_add(exponent);
        let decimal = Decimal { negative: self.negative, digits: self.digits, power }.normal();
        if decimal.digits == 0 {
            return Num::Int(0);
        }
        let scale = u32::try_from(decimal.power).ok().and_then(|power| 10_u128.checked_pow(power));
        let size = scale.and_then(|scale| decimal.digits.checked_mul(scale));
        match size.and_then(|size| i128::try_from(size).ok()) {
            Some(size) => Num::Int(if decimal.negative { -size } else { size }),
            None => Num::Decimal(decimal),
        }
    }
}

impl fmt::Write for Reader {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for letter in text.chars() {
            match letter {
                '-' => match &mut self.exponent {
                    Some((negative, _)) => *negative = true,
                    None => self.negative = true,
                },
                '.' => self.fraction = true,
                'e' | 'E' => self.exponent = Some((false, 0)),
                other => {
                    if let Some(digit) = other.to_digit(10) {
                        self.digit(digit);
                    }
                }
            }
        }
        Ok(())
    }
}
