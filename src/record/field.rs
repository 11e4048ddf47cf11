use std::collections::BTreeMap;

use serde_json::Value;

use super::bound::Bound;
use super::cause::Cause;
use super::row::{Clock, Status};
use crate::error::visible;
use crate::suite::{Api, Checks, DeviceType, Dtype, Extent, Profile, SubgroupSize, params_text, parse_params};

/// A value of a column as text and as JSON. Empty text is a missing value.
pub(super) trait Field: Sized {
    fn text(&self) -> String;
    fn parse(text: &str) -> Result<Self, String>;
    /// A number, a string, or null.
    fn json(&self) -> Value {
        let text = self.text();
        if text.is_empty() { Value::Null } else { Value::from(text) }
    }
}

/// Reports are untrusted: hidden characters are escaped when a text is read and when it is written.
impl Field for String {
    fn text(&self) -> String {
        visible(self).into_owned()
    }
    fn parse(text: &str) -> Result<Self, String> {
        Ok(visible(text).into_owned())
    }
}

impl Field for Option<u64> {
    fn text(&self) -> String {
        self.map_or_else(String::new, |value| value.to_string())
    }
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| format!("'{text}' is not a whole number"))
    }
    fn json(&self) -> Value {
        Value::from(*self)
    }
}

impl Field for Option<f64> {
    fn text(&self) -> String {
        // NaN and infinities are not written, since `parse` refuses them.
        self.filter(|value| value.is_finite()).map_or_else(String::new, |value| value.to_string())
    }
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(None);
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Some(value)),
            _ => Err(format!("'{text}' is not a finite number")),
        }
    }
    fn json(&self) -> Value {
        Value::from(*self)
    }
}

impl Field for Vec<f64> {
    fn text(&self) -> String {
        let figures: Vec<String> = self.iter().map(ToString::to_string).collect();
        figures.join(";")
    }
    fn parse(text: &str) -> Result<Self, String> {
        let parse =
            |figure: &str| <Option<f64> as Field>::parse(figure)?.ok_or_else(|| "a number is missing".to_owned());
        if text.is_empty() { Ok(Self::new()) } else { text.split(';').map(parse).collect() }
    }
    fn json(&self) -> Value {
        if self.is_empty() { Value::Null } else { Value::from(self.clone()) }
    }
}

fn named<T: Copy>(what: &str, all: &[T], name: fn(T) -> &'static str, text: &str) -> Result<T, String> {
    all.iter().copied().find(|value| name(*value) == text).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|value| name(*value)).collect();
        format!("'{text}' is not a valid {what}: use one of {}", names.join(", "))
    })
}

impl Field for Status {
    fn text(&self) -> String {
        self.name().to_owned()
    }
    fn parse(text: &str) -> Result<Self, String> {
        named("status", &Self::ALL, Self::name, text)
    }
}

macro_rules! keywords {
    ($($type:ty: $what:literal),*) => {$(
        impl Field for Option<$type> {
            fn text(&self) -> String {
                self.map_or_else(String::new, |value| value.name().to_owned())
            }
            fn parse(text: &str) -> Result<Self, String> {
                let find = || named($what, &<$type>::ALL, <$type>::name, text);
                if text.is_empty() { Ok(None) } else { find().map(Some) }
            }
        }
    )*};
}

keywords!(Api: "API", DeviceType: "device type", Dtype: "element type", Clock: "timer", Cause: "cause",
    Profile: "profile");

impl Field for Option<Extent> {
    fn text(&self) -> String {
        self.map_or_else(String::new, |extent| extent.to_string())
    }
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(None);
        }
        Extent::parse(text).map(Some).map_err(|error| error.to_string())
    }
}

impl Field for BTreeMap<String, f64> {
    fn text(&self) -> String {
        visible(&params_text(self)).into_owned()
    }
    fn parse(text: &str) -> Result<Self, String> {
        parse_params(&visible(text))
    }
}

impl Field for Option<Checks> {
    fn text(&self) -> String {
        self.map_or_else(String::new, Checks::name)
    }
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(None);
        }
        Checks::named(text).map(Some).ok_or_else(|| {
            format!(
                "'{text}' is not a valid list of checks: use off, on, or any of bounds, loops, zero-init and division \
                 joined by +, for example bounds+loops"
            )
        })
    }
}

impl Field for Option<[u32; 3]> {
    fn text(&self) -> String {
        self.map_or_else(String::new, |[x, y, z]| format!("{x}x{y}x{z}"))
    }
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(None);
        }
        let sides: Option<Vec<u32>> = text.split('x').map(|side| side.parse().ok()).collect();
        let sides = sides.and_then(|sides| <[u32; 3]>::try_from(sides).ok());
        sides.map(Some).ok_or_else(|| format!("'{text}' is not a workgroup size: use, for example, 256x1x1"))
    }
}

impl Field for Option<SubgroupSize> {
    fn text(&self) -> String {
        self.map_or_else(String::new, |size| size.to_string())
    }
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() { Ok(None) } else { text.parse().map(Some) }
    }
    fn json(&self) -> Value {
        let text = self.text();
        match text.parse::<u32>() {
            Ok(size) => size.into(),
            Err(_) if text.is_empty() => Value::Null,
            Err(_) => text.into(),
        }
    }
}

impl Field for Option<Bound> {
    fn text(&self) -> String {
        self.map_or_else(String::new, |bound| bound.to_string())
    }
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(None);
        }
        Bound::parse(text)
            .map(Some)
            .ok_or_else(|| format!("'{text}' is not a ceiling: give its name and working set, for example copy 1 GiB"))
    }
}
