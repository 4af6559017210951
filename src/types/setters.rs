//! §5 The setters that listed things share: each is written once.

/// Gives the types the setters named behind them: `Tool: title icon meta;`.
macro_rules! setters {
    ($($kind:ident: $($setter:ident)+;)+) => {
        $(impl $kind { $(setters!(@$setter);)+ })+
    };
    (@title) => {
        /// Sets the name for people.
        #[must_use]
        pub fn title(mut self, title: impl Into<String>) -> Self {
            self.title = Some(title.into());
            self
        }
    };
    (@description) => {
        /// Sets the description: what it is, or is for.
        #[must_use]
        pub fn description(mut self, description: impl Into<String>) -> Self {
            self.description = Some(description.into());
            self
        }
    };
    (@mime_type) => {
        /// Sets the media type.
        #[must_use]
        pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
            self.mime_type = Some(mime_type.into());
            self
        }
    };
    (@icon) => {
        /// Adds a picture.
        #[must_use]
        pub fn icon(mut self, icon: Icon) -> Self {
            self.icons.push(icon);
            self
        }
    };
    (@annotations) => {
        /// Sets the hints.
        #[must_use]
        pub fn annotations(mut self, annotations: Annotations) -> Self {
            self.annotations = Some(annotations);
            self
        }
    };
    (@meta) => {
        /// Adds one member to `_meta`.
        #[must_use]
        pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
            add_meta(&mut self.meta, key, value);
            self
        }
    };
}
pub(super) use setters;
